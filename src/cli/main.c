/* scalay: the command. Finds the subcommand, starts MPI if it needs it, and returns an exit code. */

#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input.h"
#include "options.h"
#include "output.h"
#include "scalay/context.h"

enum { MAX_SUBCOMMANDS = 32 };

static void print_help(FILE *stream)
{
    fprintf(stream, "Usage: scalay SUBCOMMAND [ARGUMENTS]\n\n");
    scalay_print_wrapped(
        "ScaLAY redistributes ScaLAPACK matrices. It computes the work and the part of each process, the "
        "mapping with the least communication, moves the data, and runs kernels.",
        0, 0, stream);
    fprintf(stream, "\nSubcommands (* needs mpirun for several processes):\n");
    for (int k = 0; scalay_subcommand_at(k) != NULL; k++) {
        const scalay_subcommand *subcommand = scalay_subcommand_at(k);
        const char *mark = subcommand->needs_mpi || subcommand->mpi_options != NULL ? "*" : "";
        fprintf(stream, "  %s%-*s%s\n", subcommand->name, 14 - (int)strlen(subcommand->name), mark,
                subcommand->summary);
    }
    fprintf(stream, "\n"
                    "  scalay help SUBCOMMAND    explain a subcommand, with an example\n"
                    "  scalay help layout        explain the argument LAYOUT\n"
                    "  scalay --version          print the version\n"
                    "\nExample:\n"
                    "  scalay map --from skewed:m=512,n=512,mb=64,nb=64,p=2,q=2 \\\n"
                    "             --to cyclic:mb=64,nb=64,p=2,q=2\n"
                    "\nExit codes: 0 done, 1 no solution, 2 invalid input, 3 system failure.\n");
}

static int unknown_name(const char *kind, const char *name)
{
    const char *names[MAX_SUBCOMMANDS] = {"layout", "help"};
    for (int k = 0; scalay_subcommand_at(k) != NULL && k + 2 < MAX_SUBCOMMANDS; k++)
        names[k + 2] = scalay_subcommand_at(k)->name;
    const int near = scalay_nearest_name(name, names, MAX_SUBCOMMANDS);
    fprintf(stderr, "scalay: %s '%s' is not known; ", kind, name);
    if (near >= 0) fprintf(stderr, "did you mean %s? ", names[near]);
    fprintf(stderr, "scalay --help lists the subcommands\n");
    return SCALAY_EXIT_INPUT;
}

/* scalay help [SUBCOMMAND|layout] */
static int run_help(int argc, char **argv)
{
    const char *topic = argc > 2 ? argv[2] : NULL;
    const scalay_subcommand *subcommand = topic != NULL ? scalay_subcommand_find(topic) : NULL;
    if (argc > 3) return unknown_name("argument", argv[3]);
    if (topic == NULL)
        print_help(stdout);
    else if (subcommand != NULL)
        scalay_subcommand_print_help(subcommand, stdout);
    else if (strcmp(topic, "layout") == 0)
        scalay_print_paragraphs(scalay_layout_help, stdout);
    else
        return unknown_name("subcommand", topic);
    return (int)scalay_finish("help", SCALAY_SUCCESS);
}

/* Opens /dev/null for closed descriptors 0 to 2. Otherwise the next file that is opened would get their output. */
static void open_closed_descriptors(int *output_closed)
{
    for (int descriptor = 0; descriptor <= 2; descriptor++) {
        if (fcntl(descriptor, F_GETFD) != -1) continue;
        if (descriptor == 1) *output_closed = 1;
        if (open("/dev/null", O_RDWR) < 0) return;
    }
}

#if defined(OPEN_MPI)
static const char own_mpi[] = "Open MPI", own_launcher[] = "mpirun.openmpi";
#elif defined(MPICH_VERSION)
static const char own_mpi[] = "MPICH", own_launcher[] = "mpirun.mpich";
#else
static const char own_mpi[] = "another MPI", own_launcher[] = "the mpirun of that MPI";
#endif

/* The mpirun of another MPI starts processes that are each alone: it tells their number in a variable of its own. */
static int has_other_launcher(const scalay_subcommand *subcommand)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK"};
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int k = 0; k < 2 && size == 1; k++) {
        const char *started = getenv(sizes[k]), *rank = getenv(ranks[k]);
        if (started == NULL || strtol(started, NULL, 10) <= 1) continue;
        if (rank == NULL || strtol(rank, NULL, 10) == 0)
            fprintf(stderr,
                    "scalay %s: mpirun has started %s processes, but each is alone: it belongs to another MPI than "
                    "%s, for which scalay was built. Use %s\n",
                    subcommand->name, started, own_mpi, own_launcher);
        return 1;
    }
    return 0;
}

/* Rank 0 prints, and its exit code is that of all ranks. */
static int run_with_mpi(const scalay_subcommand *subcommand, int argc, char **argv)
{
    scalay_comm *comm = NULL;
    int provided = 0;
    int rank = 0;
    int code = SCALAY_EXIT_SYSTEM;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
        fprintf(stderr, "scalay %s: MPI cannot be started; use mpirun -n P scalay %s ...\n", subcommand->name,
                subcommand->name);
        return SCALAY_EXIT_SYSTEM;
    }
    if (has_other_launcher(subcommand)) {
        MPI_Finalize();
        return SCALAY_EXIT_INPUT;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    scalay_status status = scalay_comm_create(MPI_COMM_WORLD, &comm);
    if (status == SCALAY_SUCCESS) status = scalay_subcommand_execute(subcommand, argc, argv, comm);
    if (rank == 0) code = (int)scalay_finish(subcommand->name, status);
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    scalay_comm_destroy(&comm);
    MPI_Finalize();
    return code;
}

static int run_without_subcommand(int argc, char **argv)
{
    if (strcmp(argv[1], "help") == 0) return run_help(argc, argv);
    if (strcmp(argv[1], "--version") == 0)
        printf("scalay %s\n", SCALAY_VERSION);
    else if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        print_help(stdout);
    else
        return unknown_name(argv[1][0] == '-' ? "option" : "subcommand", argv[1]);
    return (int)scalay_finish(argv[1], SCALAY_SUCCESS);
}

int main(int argc, char **argv)
{
    int output_closed = 0;
    open_closed_descriptors(&output_closed);
    if (output_closed) {
        fprintf(stderr, "scalay: the standard output is closed; redirect it to a file or to /dev/null\n");
        return SCALAY_EXIT_SYSTEM;
    }
    (void)signal(SIGPIPE, SIG_IGN); /* a write to a closed pipe fails with EPIPE */
    if (argc < 2) {
        print_help(stderr);
        return SCALAY_EXIT_INPUT;
    }
    const scalay_subcommand *subcommand = scalay_subcommand_find(argv[1]);
    if (subcommand == NULL) return run_without_subcommand(argc, argv);
    if (scalay_subcommand_needs_mpi(subcommand, argc - 1, argv + 1))
        return run_with_mpi(subcommand, argc - 1, argv + 1);
    return (int)scalay_finish(subcommand->name, scalay_subcommand_execute(subcommand, argc - 1, argv + 1, NULL));
}
