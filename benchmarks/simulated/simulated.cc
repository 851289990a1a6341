/*
 * Redistributions on simulated networks, by SimGrid: when do one-port steps pay, when volume, when link costs?
 *
 * Processes are on the nodes of a fat tree or a dragonfly. Each traffic is mapped by several objectives. The messages
 * of each mapping are then sent in three ways: all at once, in rounds of growing distance, or in the rounds of a
 * one-port schedule of least length. Rounds keep two processes in step only if they exchange a message. The network is
 * that of flows with max-min fair shares (CM02): it has contention for each link, and no losses.
 *
 * Each simulation is a process of its own, because SimGrid has one platform per process.
 */
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <simgrid/s4u.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "scalay/schedule.h"
#include "scalay/status.h"

namespace sg4 = simgrid::s4u;

namespace
{

constexpr double BANDWIDTH = 12.5e9;        // of a link, bytes per second
constexpr double LATENCY = 0.5e-6;          // of a link, seconds
constexpr double MEMORY_BANDWIDTH = 10e9;   // of all messages within a node
constexpr double MESSAGE_OVERHEAD = 0.5e-6; // time of the sender for each message
constexpr int NODES = 32;

struct Message {
    int from, to;
    double bytes;
    int64_t round;
};

struct Settings {
    int ranks_per_node = 4;
    int64_t seed = 1;
    double loss = 0.0;
    bool prints_all = false;
    int processes() const
    {
        return NODES * ranks_per_node;
    }
};

void must(scalay_status status)
{
    if (status == SCALAY_SUCCESS) return;
    std::fprintf(stderr, "%s\n", scalay_error_message());
    std::exit(1);
}

/* ---------------------------------------------------------------------------------------------------- networks */

std::vector<sg4::Host *> hosts;

std::pair<simgrid::kernel::routing::NetPoint *, simgrid::kernel::routing::NetPoint *>
create_node(sg4::NetZone *zone, const std::vector<unsigned long> &, unsigned long id)
{
    sg4::Host *host = zone->create_host("node" + std::to_string(id), 1e9);
    host->seal();
    hosts.push_back(host);
    return {host->get_netpoint(), nullptr};
}

sg4::Link *create_memory(sg4::NetZone *zone, const std::vector<unsigned long> &, unsigned long id)
{
    return zone->create_link("memory" + std::to_string(id), MEMORY_BANDWIDTH)->set_latency(0.3e-6)->seal();
}

/* One switch. */
sg4::NetZone *create_crossbar()
{
    return sg4::create_fatTree_zone("network", nullptr, {2, {NODES, 1}, {1, 1}, {1, 1}},
                                    {create_node, create_memory, {}}, BANDWIDTH, LATENCY,
                                    sg4::Link::SharingPolicy::SPLITDUPLEX);
}

/* Four switches of eight nodes, each connected with all spines. */
sg4::NetZone *create_fat_tree(unsigned spines)
{
    return sg4::create_fatTree_zone("network", nullptr, {2, {8, 4}, {1, spines}, {1, 1}},
                                    {create_node, create_memory, {}}, BANDWIDTH, LATENCY,
                                    sg4::Link::SharingPolicy::SPLITDUPLEX);
}

/* Four groups of two chassis of four routers with a node each, and one link between each two groups. */
sg4::NetZone *create_dragonfly()
{
    return sg4::create_dragonfly_zone("network", nullptr, {{4, 1}, {2, 1}, {4, 1}, 1}, {create_node, create_memory, {}},
                                      BANDWIDTH, LATENCY, sg4::Link::SharingPolicy::SPLITDUPLEX);
}

struct Network {
    const char *name;
    std::function<sg4::NetZone *()> create;
};

const std::vector<Network> networks = {{"crossbar", create_crossbar},
                                       {"fat tree", [] { return create_fat_tree(8); }},
                                       {"fat tree 4:1", [] { return create_fat_tree(2); }},
                                       {"dragonfly", create_dragonfly}};

/* Runs a function on a network in a process of its own, and returns the numbers that it returns. */
std::vector<double> on_network(const Network &network, const std::function<std::vector<double>(sg4::Engine &)> &run)
{
    int ends[2];
    if (pipe(ends) != 0) std::exit(1);
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        char name[] = "bench_simulated", model[] = "--cfg=network/model:CM02", gamma[] = "--cfg=network/TCP-gamma:0",
             one_way[] = "--cfg=network/crosstraffic:0", quiet[] = "--log=root.thresh:error";
        char *arguments[] = {name, model, gamma, one_way, quiet, nullptr};
        int count = 5;
        sg4::Engine engine(&count, arguments);
        network.create()->seal();
        const std::vector<double> values = run(engine);
        const ssize_t bytes = static_cast<ssize_t>(values.size() * sizeof(double));
        const char *next = reinterpret_cast<const char *>(values.data());
        for (ssize_t sent = 0, now = 0; sent < bytes; sent += now)
            if ((now = write(ends[1], next + sent, static_cast<size_t>(bytes - sent))) <= 0) _exit(1);
        _exit(0);
    }
    close(ends[1]);
    std::vector<double> values;
    for (double value; read(ends[0], &value, sizeof value) == sizeof value;) values.push_back(value);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) std::exit(1);
    return values;
}

/* Cost of an element between two nodes: the sum over the links of the time for which it occupies one of them. */
std::vector<double> find_distances(const Network &network)
{
    return on_network(network, [](sg4::Engine &) {
        std::vector<double> distance;
        for (const sg4::Host *from : hosts)
            for (const sg4::Host *to : hosts) {
                std::vector<sg4::Link *> links;
                double latency = 0.0, cost = 0.0;
                from->route_to(to, links, &latency);
                for (const sg4::Link *link : links) cost += BANDWIDTH / link->get_bandwidth();
                distance.push_back(from == to ? 0.5 : cost);
            }
        return distance;
    });
}

/* -------------------------------------------------------------------------------------------------- simulation */

std::string mailbox_name(int from, int to)
{
    return std::to_string(from) + ">" + std::to_string(to);
}

/* Sends and receives the messages of one process, round by round; a round is complete before the next one begins. */
void act(const std::vector<Message> &sends, const std::vector<Message> &receives)
{
    static int nothing;
    size_t s = 0, r = 0;
    while (s < sends.size() || r < receives.size()) {
        const int64_t next_send = s < sends.size() ? sends[s].round : std::numeric_limits<int64_t>::max();
        const int64_t next_receive = r < receives.size() ? receives[r].round : std::numeric_limits<int64_t>::max();
        const int64_t round = std::min(next_send, next_receive);
        std::vector<sg4::CommPtr> pending;
        static void *received;
        for (; r < receives.size() && receives[r].round == round; r++)
            pending.push_back(
                sg4::Mailbox::by_name(mailbox_name(receives[r].from, receives[r].to))->get_async<void>(&received));
        for (; s < sends.size() && sends[s].round == round; s++) {
            sg4::this_actor::sleep_for(MESSAGE_OVERHEAD);
            pending.push_back(sg4::Mailbox::by_name(mailbox_name(sends[s].from, sends[s].to))
                                  ->put_async(&nothing, static_cast<uint64_t>(std::ceil(sends[s].bytes))));
        }
        sg4::Comm::wait_all(pending);
    }
}

/* Messages that share a link of the network lose part of its bandwidth, as by full queues and repeated packets. */
void set_loss(const sg4::Engine &engine, double loss)
{
    for (sg4::Link *link : engine.get_all_links())
        if (link->get_name().rfind("memory", 0) != 0)
            link->set_sharing_policy(sg4::Link::SharingPolicy::NONLINEAR, [loss](double bandwidth, int flows) {
                return flows > 1 ? bandwidth * (1.0 - loss) : bandwidth;
            });
}

double simulate(const Network &network, const Settings &settings, const std::vector<Message> &messages)
{
    std::vector<std::vector<Message>> sends(static_cast<size_t>(settings.processes())), receives(sends);
    for (const Message &m : messages) {
        sends[static_cast<size_t>(m.from)].push_back(m);
        receives[static_cast<size_t>(m.to)].push_back(m);
    }
    const auto seconds = on_network(network, [&](sg4::Engine &engine) {
        if (settings.loss > 0.0) set_loss(engine, settings.loss);
        for (size_t k = 0; k < sends.size(); k++)
            sg4::Actor::create("process", hosts[k / static_cast<size_t>(settings.ranks_per_node)],
                               [&sends, &receives, k] { act(sends[k], receives[k]); });
        engine.run();
        return std::vector<double>{sg4::Engine::get_clock()};
    });
    return seconds.at(0);
}

/* ---------------------------------------------------------------------------------------------------- messages */

/* Messages in order of rounds; all at once is one round. */
std::vector<Message> messages_of(const scalay_traffic *traffic, const int *process, int processes, bool by_distance)
{
    std::vector<Message> messages;
    scalay_traffic_summary size;
    must(scalay_traffic_get_summary(traffic, &size));
    for (int from = 0; from < size.processes; from++) {
        const int *part = nullptr;
        const int64_t *elements = nullptr;
        int64_t count = 0;
        must(scalay_traffic_row(traffic, from, &count, &part, &elements));
        for (int64_t k = 0; k < count; k++) {
            const int to = process[part[k]], distance = (to - from + processes) % processes;
            if (to != from) messages.push_back({from, to, static_cast<double>(elements[k]), distance});
        }
    }
    std::sort(messages.begin(), messages.end(), [](const Message &a, const Message &b) { return a.round < b.round; });
    if (!by_distance)
        for (Message &m : messages) m.round = 0;
    return messages;
}

std::vector<Message> messages_of_schedule(const scalay_traffic *traffic, const int *process, int64_t startup)
{
    std::vector<Message> messages;
    scalay_schedule *schedule = nullptr;
    scalay_schedule_summary size;
    scalay_schedule_options options = scalay_schedule_options_default();
    options.startup = startup;
    must(scalay_schedule_create(traffic, process, &options, &schedule));
    must(scalay_schedule_get_summary(schedule, &size));
    for (int64_t round = 0; round < size.rounds; round++) {
        const scalay_message *message = nullptr;
        int64_t length = 0, count = 0;
        must(scalay_schedule_round(schedule, round, &length, &count, &message));
        for (int64_t k = 0; k < count; k++)
            messages.push_back({message[k].from, message[k].to, static_cast<double>(message[k].elements), round});
    }
    scalay_schedule_destroy(&schedule);
    return messages;
}

/* ----------------------------------------------------------------------------------------------------- traffic */

scalay_traffic *between(const std::string &source, const std::string &target)
{
    scalay_layout *from = nullptr, *to = nullptr;
    scalay_traffic *traffic = nullptr;
    must(scalay_layout_parse(source.c_str(), &from));
    must(scalay_layout_parse(target.c_str(), &to));
    must(scalay_traffic_create(from, to, &traffic));
    scalay_layout_destroy(&from);
    scalay_layout_destroy(&to);
    return traffic;
}

/* Each process holds elements of `partners` parts, in numbers from 1 to 100. */
scalay_traffic *random_traffic(int processes, int partners, int64_t seed)
{
    std::vector<int> process, part;
    std::vector<int64_t> elements;
    uint64_t state = static_cast<uint64_t>(seed) * 2654435761U + 1;
    const auto draw = [&state](int below) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        return static_cast<int>((state >> 33) % static_cast<uint64_t>(below));
    };
    std::vector<int> order(static_cast<size_t>(processes));
    for (int d = 0; d < partners; d++) {
        for (int k = 0; k < processes; k++) order[static_cast<size_t>(k)] = k;
        for (int k = processes - 1; k > 0; k--)
            std::swap(order[static_cast<size_t>(k)], order[static_cast<size_t>(draw(k + 1))]);
        for (int k = 0; k < processes; k++) {
            process.push_back(k);
            part.push_back(order[static_cast<size_t>(k)]);
            elements.push_back(1 + draw(100));
        }
    }
    scalay_traffic *traffic = nullptr;
    must(scalay_traffic_from_entries(processes, processes, static_cast<int64_t>(part.size()), process.data(),
                                     part.data(), elements.data(), &traffic));
    return traffic;
}

/* The grid of p x q processes that is closest to a square. */
std::string grid_text(int processes)
{
    int p = static_cast<int>(std::sqrt(processes));
    while (processes % p != 0) p--;
    return "p=" + std::to_string(p) + ",q=" + std::to_string(processes / p);
}

std::map<std::string, scalay_traffic *> create_traffic(const Settings &settings)
{
    const std::string size = ":m=4096,n=4096,", grid = grid_text(settings.processes()),
                      flat = "p=" + std::to_string(settings.processes()),
                      seed = ",seed=" + std::to_string(settings.seed);
    const std::string target = "cyclic" + size + "mb=32,nb=32," + grid;
    return {{"blocks", between("cyclic" + size + "mb=24,nb=24," + grid, target)},
            {"skewed", between("skewed" + size + "mb=32,nb=32," + grid + seed, target)},
            {"chunks", between("chunks" + size + "mb=32,nb=32," + flat + seed, target)},
            {"random", random_traffic(settings.processes(), 8, settings.seed)}};
}

/* ---------------------------------------------------------------------------------------------------- comparing */

const std::vector<scalay_objective> objectives = {SCALAY_CANONICAL, SCALAY_MIN_VOLUME, SCALAY_MIN_STEPS_THEN_VOLUME,
                                                  SCALAY_MIN_TIME};
const std::vector<const char *> ways = {"at once", "distance", "steps"};
const std::vector<double> message_bytes = {512, 8192, 131072, 2097152};

using Seconds = std::vector<double>; /* shape [objectives][ways] */

int64_t mean_elements(const std::vector<Message> &messages)
{
    double total = 0.0;
    for (const Message &m : messages) total += m.bytes;
    return std::max<int64_t>(1, std::llround(total / static_cast<double>(std::max<size_t>(1, messages.size()))));
}

void scale(std::vector<Message> &messages, double bytes_per_element)
{
    for (Message &m : messages) m.bytes *= bytes_per_element;
}

/* Simulates all objectives and ways for one traffic and one size of the messages of the canonical mapping. */
Seconds compare(const Network &network, const Settings &settings, const scalay_traffic *traffic,
                const std::vector<scalay_mapping *> &mappings, double bytes)
{
    const int processes = settings.processes();
    const auto canonical = messages_of(traffic, scalay_mapping_process(mappings[0]), processes, false);
    const double bytes_per_element = bytes / static_cast<double>(mean_elements(canonical));
    const auto startup = static_cast<int64_t>((4 * LATENCY + MESSAGE_OVERHEAD) * BANDWIDTH / bytes_per_element);
    Seconds seconds;
    for (const scalay_mapping *mapping : mappings) {
        const int *process = scalay_mapping_process(mapping);
        for (std::vector<Message> messages :
             {messages_of(traffic, process, processes, false), messages_of(traffic, process, processes, true),
              messages_of_schedule(traffic, process, startup)}) {
            scale(messages, bytes_per_element);
            seconds.push_back(simulate(network, settings, messages));
        }
    }
    return seconds;
}

std::vector<scalay_mapping *> create_mappings(const Settings &settings, const scalay_traffic *traffic,
                                              const std::vector<double> &distance)
{
    std::vector<scalay_mapping *> mappings;
    scalay_node_links links = {};
    links.nodes = NODES;
    links.ranks_per_node = settings.ranks_per_node;
    links.distance = distance.data();
    scalay_mapping_options options = scalay_mapping_options_default();
    options.processes = settings.processes();
    options.link_cost = scalay_node_link_cost;
    options.link_context = &links;
    for (const scalay_objective objective : objectives) {
        mappings.push_back(nullptr);
        must(scalay_mapping_from_traffic(traffic, objective, &options, &mappings.back()));
    }
    return mappings;
}

void print_row(const char *network, const char *traffic, double bytes, const Seconds &seconds)
{
    std::printf("| %-12s | %-7s | %7.0f |", network, traffic, bytes);
    for (const double s : seconds) std::printf(" %8.2f |", s);
    std::printf("\n");
    std::fflush(stdout);
}

void print_header(const char *unit)
{
    std::printf("\n%s\n\n| %-12s | %-7s | %7s |", unit, "network", "traffic", "bytes");
    for (const scalay_objective objective : objectives)
        for (const char *way : ways) std::printf(" %s, %s |", scalay_objective_name(objective), way);
    std::printf("\n|---|---|---|");
    for (size_t k = 0; k < objectives.size() * ways.size(); k++) std::printf("---|");
    std::printf("\n");
}

/* All sizes of one network and traffic; adds logarithms of seconds / least seconds to the sums of their size. */
void compare_sizes(const Network &network, const Settings &settings, const char *name, const scalay_traffic *traffic,
                   const std::vector<double> &distance, std::map<double, Seconds> *sums)
{
    std::vector<scalay_mapping *> mappings = create_mappings(settings, traffic, distance);
    for (const double bytes : message_bytes) {
        Seconds seconds = compare(network, settings, traffic, mappings, bytes);
        Seconds &sum = (*sums)[bytes];
        sum.resize(seconds.size());
        const double least = *std::min_element(seconds.begin(), seconds.end());
        for (size_t k = 0; k < seconds.size(); k++) {
            sum[k] += std::log(seconds[k] / least);
            seconds[k] *= 1e6;
        }
        if (settings.prints_all) print_row(network.name, name, bytes, seconds);
    }
    for (scalay_mapping *mapping : mappings) scalay_mapping_destroy(&mapping);
}

Settings read_settings(int count, char **arguments)
{
    Settings settings;
    for (int k = 1; k < count; k++) {
        const std::string option = arguments[k];
        if (option == "--all") {
            settings.prints_all = true;
        } else if (option == "--ranks" && k + 1 < count) {
            settings.ranks_per_node = std::max(1, std::atoi(arguments[++k]));
        } else if (option == "--loss" && k + 1 < count) {
            settings.loss = std::atof(arguments[++k]);
        } else if (option == "--seed" && k + 1 < count) {
            settings.seed = std::atoll(arguments[++k]);
        } else {
            std::fprintf(stderr, "usage: bench_simulated [--all] [--ranks RANKS_PER_NODE] [--loss SHARE] [--seed N]\n");
            std::exit(2);
        }
    }
    return settings;
}

} // namespace

int main(int count, char **arguments)
{
    const Settings settings = read_settings(count, arguments);
    const auto all_traffic = create_traffic(settings);
    std::map<std::string, std::map<double, Seconds>> sums;
    if (settings.prints_all) print_header("Microseconds.");
    for (const Network &network : networks) {
        const std::vector<double> distance = find_distances(network);
        for (const auto &[name, traffic] : all_traffic)
            compare_sizes(network, settings, name.c_str(), traffic, distance, &sums[network.name]);
    }
    print_header("Time over the least time of the row's traffics, geometric means.");
    for (auto &[network, sizes] : sums)
        for (auto &[bytes, sum] : sizes) {
            for (double &s : sum) s = std::exp(s / static_cast<double>(all_traffic.size()));
            print_row(network.c_str(), "all", bytes, sum);
        }
    for (auto [name, traffic] : all_traffic) scalay_traffic_destroy(&traffic);
    return 0;
}
