/*
 * Rates of the machine: default values, validity, the measured curves, and processes that share cores.
 */
#include "model/machine.h"

#include <math.h>
#include <string.h>

#include "base/fingerprint.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/piece.h"
#include "base/status.h"

scalay_machine scalay_machine_typical(void)
{
    /* One core of a server at 20 Gflop/s, memory shared with other cores, a network of 100 Gbit/s. */
    return (scalay_machine){
        .seconds_per_flop = 5e-11,
        .seconds_per_flop_vector = 5e-10,
        .seconds_per_message = 2e-6,
        .seconds_per_byte = 4e-10,
        .seconds_per_byte_copied = 2.5e-10,
        .seconds_per_message_within = 1e-6,
        .seconds_per_byte_within = 4e-10,
    };
}

scalay_machine scalay_machine_or_typical(const scalay_machine *machine)
{
    return machine != NULL ? *machine : scalay_machine_typical();
}

uint64_t scalay_machine_fingerprint(uint64_t fingerprint, const scalay_machine *machine)
{
    enum { WORDS = sizeof *machine / sizeof(int64_t) };
    int64_t word[WORDS];
    _Static_assert(sizeof word == sizeof *machine, "rates without padding");
    fingerprint = scalay_fingerprint_add(fingerprint, machine != NULL);
    if (machine == NULL) return fingerprint;
    memcpy(word, machine, sizeof word);
    for (int k = 0; k < WORDS; k++) fingerprint = scalay_fingerprint_add(fingerprint, word[k]);
    return fingerprint;
}

static int is_curve(const double *curve, int points)
{
    int positive = 0;
    for (int k = 0; k < points; k++) {
        if (!isfinite(curve[k]) || curve[k] < 0.0) return 0;
        positive += curve[k] > 0.0;
    }
    return positive == 0 || positive == points;
}

static int are_rates(const double *rates, int count)
{
    for (int k = 0; k < count; k++)
        if (!isfinite(rates[k]) || rates[k] < 0.0) return 0;
    return 1;
}

int scalay_machine_is_valid(const scalay_machine *machine)
{
    const double rates[] = {
        machine->seconds_per_flop,       machine->seconds_per_flop_vector,    machine->seconds_per_message,
        machine->seconds_per_byte,       machine->seconds_per_byte_copied,    machine->solo_time_ratio,
        machine->ring_slowdown,          machine->seconds_per_message_within, machine->seconds_per_byte_within,
        machine->seconds_per_byte_alone, machine->seconds_per_large_message,  machine->seconds_per_call,
        machine->long_message_ratio};
    if (!are_rates(rates, (int)(sizeof rates / sizeof rates[0]))) return 0;
    if (!are_rates(machine->type_seconds_per_flop, SCALAY_NODE_TYPES) ||
        !are_rates(machine->type_seconds_per_message, SCALAY_NODE_TYPES) ||
        !are_rates(machine->type_seconds_per_byte, SCALAY_NODE_TYPES) ||
        !are_rates(machine->pair_seconds_per_message, SCALAY_NODE_TYPE_PAIRS) ||
        !are_rates(machine->pair_seconds_per_byte, SCALAY_NODE_TYPE_PAIRS) || machine->nodes < 0 ||
        machine->node_types < 0 || machine->node_types > SCALAY_NODE_TYPES)
        return 0;
    return machine->solo_time_ratio <= 1.0 && machine->processes >= 0 && machine->concurrent_processes >= 0 &&
           is_curve(machine->gemm_curve, SCALAY_GEMM_CURVE) && is_curve(machine->vector_curve, SCALAY_VECTOR_CURVE) &&
           is_curve(machine->copy_curve, SCALAY_COPY_CURVE) && is_curve(machine->swap_curve, SCALAY_SWAP_CURVE);
}

/* Returns the value of a curve at a position from 0, linear between its points. */
static double on_curve(const double *curve, int points, double position)
{
    if (position <= 0.0) return curve[0];
    if (position >= points - 1) return curve[points - 1];
    const int k = (int)position;
    return curve[k] + (position - k) * (curve[k + 1] - curve[k]);
}

/* Returns log2 of x >= 1, linear between the powers of 2: the same on all ranks, whatever the mathematical library. */
static double log2_linear(double x)
{
    double power = 1.0, result = 0.0;
    if (!(x > 1.0)) return 0.0;
    for (; 2.0 * power <= x && result < 60.0; power *= 2.0) result += 1.0;
    return result + (x - power) / power;
}

double scalay_machine_gemm_rate(const scalay_machine *machine, double extent)
{
    if (machine->gemm_curve[0] == 0.0)
        return machine->seconds_per_flop + 2.0 * machine->seconds_per_flop_vector / fmax(1.0, extent);
    return on_curve(machine->gemm_curve, SCALAY_GEMM_CURVE, log2_linear(extent));
}

double scalay_machine_vector_rate(const scalay_machine *machine, double bytes)
{
    if (machine->vector_curve[0] == 0.0) return machine->seconds_per_flop_vector;
    const double position = 0.5 * log2_linear(bytes / 16384.0);
    const double last = on_curve(machine->vector_curve, SCALAY_VECTOR_CURVE, position);
    if (position <= SCALAY_VECTOR_CURVE - 1) return last;
    /* Four times the last size is beyond the caches. */
    const double beyond = fmax(last, machine->seconds_per_flop_vector);
    return last + fmin(1.0, position - (SCALAY_VECTOR_CURVE - 1)) * (beyond - last);
}

double scalay_machine_copy_rate(const scalay_machine *machine, double bytes)
{
    if (machine->copy_curve[0] == 0.0) return machine->seconds_per_byte_copied;
    return on_curve(machine->copy_curve, SCALAY_COPY_CURVE, 0.5 * log2_linear(bytes / 16384.0));
}

/* The power of two in the distance of columns, which selects the sets of the caches. */
static int64_t set_power(int64_t distance)
{
    return distance & -distance;
}

static int columns_compete(int64_t distance)
{
    return set_power(distance) >= SCALAY_SET_BYTES;
}

/* Packing has a source and a target. */
double scalay_machine_pass_rate(const scalay_machine *machine, int64_t distance, double bytes)
{
    return scalay_machine_copy_rate(machine, columns_compete(distance) ? bytes : 0.5 * bytes);
}

double scalay_machine_line_seconds(const scalay_machine *machine, int64_t distance, double size, double bytes)
{
    const double lines = columns_compete(distance) ? 2.0 * SCALAY_LINE_BYTES : SCALAY_LINE_BYTES + size;
    return lines * scalay_machine_pass_rate(machine, distance, bytes);
}

/* An exchange takes as long as the sets of the caches say that the elements of a row compete for: those that a power of
 * two selects. The matrix that was measured has half as many columns as rows, of 8 bytes. A larger one takes longer by
 * what its lines do. */
double scalay_machine_swap_rate(const scalay_machine *machine, int64_t distance, double size, double bytes)
{
    const double power = (double)set_power(distance);
    const double seconds = scalay_machine_line_seconds(machine, distance, size, bytes);
    if (machine->swap_curve[0] == 0.0) return seconds;
    const double measured = scalay_machine_line_seconds(machine, distance, size, power * power / 16.0);
    return on_curve(machine->swap_curve, SCALAY_SWAP_CURVE, log2_linear(power / SCALAY_SET_BYTES)) +
           fmax(0.0, seconds - measured);
}

/* Time of a move or product in small calls of the BLAS, fitted to products of order 64 to 128 on two processors
 * (docs/benchmarks-onecall.md). */
static const double calls_of_call = 32.0;

double scalay_machine_small_call(const scalay_machine *machine)
{
    const double measured = machine->seconds_per_call;
    return measured > 0.0 ? measured : SCALAY_FLOPS_OF_SMALL_CALL * machine->vector_curve[0];
}

double scalay_machine_call_seconds(const scalay_machine *machine)
{
    return calls_of_call * scalay_machine_small_call(machine);
}

/* Messages of 1 and 16 KiB are measured. The eager limit of most MPI libraries is between them, and includes a header:
 * a message of 4 KiB is a large one. */
#define EAGER_BYTES 4096.0

double scalay_machine_start_up(const scalay_machine *machine, double message, double bytes)
{
    if (bytes < EAGER_BYTES) return message;
    return message + fmax(0.0, machine->seconds_per_large_message - machine->seconds_per_message);
}

/* Copies of an eager message: by the sender, and by the receiver. */
#define EAGER_COPIES 2.0
/* What pieces may cost, of their time on the link. At 1 Gbit/s, they cost .08 to .13 by several measurements. */
#define PIECE_COST 0.25

int64_t scalay_machine_piece_bytes(const scalay_machine *machine)
{
    const double cost =
        machine->seconds_per_message + EAGER_COPIES * SCALAY_PIECE_BYTES * machine->seconds_per_byte_copied;
    if (machine->nodes < 2 || cost > PIECE_COST * SCALAY_PIECE_BYTES * machine->seconds_per_byte) return INT64_MAX;
    return SCALAY_PIECE_BYTES;
}

/* The gain from which long messages are taken. */
#define LONG_MESSAGES_PAY 0.98

int scalay_machine_has_long_messages(const scalay_machine *machine)
{
    const double ratio = machine->long_message_ratio;
    return machine->nodes > 1 && ratio > 0.0 && ratio < LONG_MESSAGES_PAY;
}

/* Messages in which sender and receiver of a large message agree: two before the data, and one after it. */
#define AGREEMENT 3.0

double scalay_machine_reading_start_up(const scalay_machine *machine)
{
    const double within = machine->seconds_per_message_within;
    return within > 0.0 ? fmax(0.0, machine->seconds_per_large_message - AGREEMENT * within) : 0.0;
}

/* Factor for processes that alternate on a core and evict each other's data from the cache, fitted to
 * bench_advise. */
#define ALTERNATION 1.25

static double concurrent_of(const scalay_machine *machine)
{
    if (machine->concurrent_processes > 0) return (double)machine->concurrent_processes;
    return fmax(1.0, round(machine->solo_time_ratio * (double)machine->processes));
}

static int is_shared(const scalay_machine *machine)
{
    return machine->solo_time_ratio > 0.0 && machine->processes > 0;
}

double scalay_machine_concurrent_processes(const scalay_machine *machine, int64_t active)
{
    if (!is_shared(machine)) return (double)active;
    return concurrent_of(machine) * (double)scalay_max_int64(machine->processes, active) / (double)machine->processes;
}

/* Returns the ring slowdown for a panel that is passed along `line` processes: 1 if all of them run at once, and the
 * whole factor if they are all processes. */
static double ring_factor(double factor, double line, double cores, double processes)
{
    if (factor <= 1.0 || line <= cores || processes <= cores) return 1.0;
    return 1.0 + (factor - 1.0) * (1.0 - cores / line) / (1.0 - cores / processes);
}

double scalay_machine_spread(const scalay_machine *machine, int64_t active, int64_t line, double longest, double sum)
{
    if (!is_shared(machine)) return longest;
    const double processes = (double)scalay_max_int64(machine->processes, active);
    const double cores = scalay_machine_concurrent_processes(machine, active);
    const double even = ring_factor(machine->ring_slowdown, (double)line, cores, processes) *
                        fmax(longest * machine->solo_time_ratio, sum / processes);
    if ((double)active <= cores) return even;
    const double turns = ceil((double)active / cores) * machine->solo_time_ratio * sum / (double)active;
    return line > 1 ? fmax(ALTERNATION * even, turns) : fmax(even, turns);
}

double scalay_type_flop_weight(scalay_type type)
{
    static const double weights[] = {
        [SCALAY_FLOAT] = 0.5, [SCALAY_DOUBLE] = 1.0, [SCALAY_COMPLEX_FLOAT] = 2.0, [SCALAY_COMPLEX_DOUBLE] = 4.0};
    return type >= SCALAY_FLOAT && type <= SCALAY_COMPLEX_DOUBLE ? weights[type] : 0.0;
}

double scalay_type_flops_per_byte(scalay_type type)
{
    const double size = (double)scalay_type_size(type);
    return size > 0.0 ? scalay_type_flop_weight(type) * 8.0 / size : 0.0;
}

scalay_status scalay_machine_check(const scalay_machine *machine, scalay_type type, const char *function)
{
    if (scalay_type_flop_weight(type) == 0.0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "type is %d; it must be SCALAY_FLOAT, _DOUBLE, _COMPLEX_FLOAT or _COMPLEX_DOUBLE", type);
    if (!scalay_machine_is_valid(machine))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "machine has a rate that is not finite and at least 0, a solo_time_ratio above 1, or an "
                           "incomplete curve. Measure it with scalay_machine_measure");
    return SCALAY_SUCCESS;
}
