/* scalay: the command line. Finds the subcommand, reads its options, runs it, and turns its status into an exit code.
 */

#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fingerprint.h"
#include "failure.h"
#include "options.h"
#include "parallel/agree.h"
#include "progress.h"
#include "scalay/context.h"

static const scalay_command *const commands[] = {
    &scalay_command_profile, &scalay_command_workload, &scalay_command_partition,
    &scalay_command_qr,      &scalay_command_gemm,     &scalay_command_redistribute,
    &scalay_command_map,     &scalay_command_advise,   &scalay_command_show,
};

enum { COMMANDS = (int)(sizeof commands / sizeof commands[0]) };

static void print_help(FILE *stream)
{
    fprintf(
        stream,
        "Usage: scalay SUBCOMMAND ...\n\n"
        "ScaLAY puts ScaLAPACK matrices where they should be: it finds out how much each processor\n"
        "should get and which process should take which part, moves it there, and runs the kernel.\n\nSubcommands:\n");
    for (int k = 0; k < COMMANDS; k++)
        fprintf(stream, "  %-14s%s%s\n", commands[k]->name, commands[k]->summary,
                commands[k]->needs_mpi             ? " (under mpirun)"
                : commands[k]->mpi_options != NULL ? " (measures under mpirun)"
                                                   : "");
    fprintf(stream, "\n  scalay SUBCOMMAND --help    explains a subcommand, with an example\n"
                    "  scalay --version            prints the version\n"
                    "\nExample:\n  scalay map --from skewed:m=512,n=512,mb=64,nb=64,p=2,q=2 \\\n"
                    "             --to cyclic:mb=64,nb=64,p=2,q=2\n"
                    "\nExit codes: 0 done, 1 no solution, 2 bad input, 3 system failure.\n");
}

static const scalay_command *find_command(const char *name)
{
    for (int k = 0; k < COMMANDS; k++)
        if (strcmp(commands[k]->name, name) == 0) return commands[k];
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *names[COMMANDS];
    for (int k = 0; k < COMMANDS; k++) names[k] = commands[k]->name;
    int near = scalay_nearest_name(name, names, COMMANDS);
    fprintf(stderr, "scalay: %s '%s' is not known; ", name[0] == '-' ? "option" : "subcommand", name);
    if (near >= 0) fprintf(stderr, "did you mean %s? ", names[near]);
    fprintf(stderr, "scalay --help lists what there is\n");
    return SCALAY_EXIT_INPUT;
}

/* An unused low descriptor would be given to the next file that is opened, which would then receive what is printed. */
static void fill_closed_descriptors(int *output_closed)
{
    for (int descriptor = 0; descriptor <= 2; descriptor++) {
        if (fcntl(descriptor, F_GETFD) != -1) continue;
        if (descriptor == 1) *output_closed = 1;
        if (open("/dev/null", O_RDWR) < 0) return;
    }
}

/* mpirun can start ranks with different command lines; they would not wait for the same things. */
static scalay_status agree_on_arguments(scalay_comm *comm, const char *name, int argc, char **argv)
{
    uint64_t print = scalay_fingerprint_add(scalay_fingerprint_start(), argc);
    for (int k = 1; k < argc; k++)
        for (size_t at = 0; at <= strlen(argv[k]); at++) print = scalay_fingerprint_add(print, argv[k][at]);
    return scalay_comm_agree_value(comm, print, name, "the command line");
}

/* Reads the options and runs. Under MPI all ranks take the same way, whatever is wrong on one of them. */
static scalay_status run_command(const scalay_command *command, int argc, char **argv, scalay_comm *comm)
{
    int speaks = comm == NULL || scalay_comm_rank(comm) == 0;
    scalay_options options = {0};
    scalay_status status = scalay_options_read(command, argc, argv, &options);
    if (comm != NULL) status = scalay_comm_agree(comm, status);
    if (comm != NULL && status == SCALAY_SUCCESS) status = agree_on_arguments(comm, command->name, argc, argv);
    if (status != SCALAY_SUCCESS) return status;
    if (options.help) {
        if (speaks) scalay_command_print_help(command, stdout);
        return SCALAY_SUCCESS;
    }
    scalay_progress_start(command->name, speaks);
    status = command->run(&options, comm);
    scalay_progress_stop();
    return status;
}

static int finish(const scalay_command *command, scalay_status status)
{
    if (status == SCALAY_SUCCESS) status = scalay_finish_output();
    if (status != SCALAY_SUCCESS) scalay_print_failure(command->name);
    return (int)scalay_exit_code(status);
}

/* Whether a command line has one of the options that take MPI; options may be shortened. */
static int asks_for_mpi(const scalay_command *command, int argc, char **argv)
{
    if (command->needs_mpi || command->mpi_options == NULL) return command->needs_mpi;
    for (int k = 1; k < argc; k++) {
        const size_t length = strlen(argv[k]);
        if (length < 3 || strncmp(argv[k], "--", 2) != 0) continue;
        for (const char *const *name = command->mpi_options; *name != NULL; name++)
            if (strncmp(argv[k] + 2, *name, length - 2) == 0) return 1;
    }
    return 0;
}

/* Rank 0 prints for all, and its exit code, which knows whether that could be printed, is everybody's. */
static int run_under_mpi(const scalay_command *command, int argc, char **argv)
{
    scalay_comm *comm = NULL;
    int provided = 0;
    int rank = 0;
    int code = SCALAY_EXIT_SYSTEM;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
        fprintf(stderr, "scalay %s: MPI cannot be started; use mpirun -n P scalay %s ...\n", command->name,
                command->name);
        return SCALAY_EXIT_SYSTEM;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    scalay_status status = scalay_comm_create(MPI_COMM_WORLD, &comm);
    if (status == SCALAY_SUCCESS) status = run_command(command, argc, argv, comm);
    if (rank == 0) code = finish(command, status);
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    scalay_comm_destroy(&comm);
    MPI_Finalize();
    return code;
}

int main(int argc, char **argv)
{
    int output_closed = 0;
    fill_closed_descriptors(&output_closed);
    if (output_closed) {
        fprintf(stderr, "scalay: the standard output is closed; redirect it to a file or to /dev/null\n");
        return SCALAY_EXIT_SYSTEM;
    }
    (void)signal(SIGPIPE, SIG_IGN); /* a reader that has gone is a failed write, with a message */
    if (argc < 2) {
        print_help(stderr);
        return SCALAY_EXIT_INPUT;
    }
    const scalay_command *command = find_command(argv[1]);
    if (command != NULL && asks_for_mpi(command, argc - 1, argv + 1)) return run_under_mpi(command, argc - 1, argv + 1);
    if (command != NULL) return finish(command, run_command(command, argc - 1, argv + 1, NULL));
    if (strcmp(argv[1], "--version") == 0)
        printf("scalay %s\n", SCALAY_VERSION);
    else if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        print_help(stdout);
    else
        return unknown_command(argv[1]);
    static const scalay_command itself = {.name = "itself"};
    return finish(&itself, SCALAY_SUCCESS);
}
