/*
 * A write that fails does so in the same way on every rank, with a message that names the file, and leaves an older
 * file as it was and no temporary file behind.
 */
#define _XOPEN_SOURCE 700
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "io/refusals.h"

enum { NOBODY = 65534 };

static const char old_words[] = "an older file";

static void check_old(const char *path)
{
    long length = 0;
    char *bytes = files_read(path, &length);
    CHECK(length == (long)sizeof old_words && memcmp(bytes, old_words, sizeof old_words) == 0);
    free(bytes);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void what_cannot_be_written_is_told(void)
{
    char missing[200];
    snprintf(missing, sizeof missing, "%s/no/such.npy", files_folder);
    REFUSED(write_double(missing), SCALAY_ERROR_FILE, "No such file");
    const char *path = files_path("folder.npy");
    if (check_rank() == 0) CHECK(mkdir(path, 0755) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    REFUSED(write_double(path), SCALAY_ERROR_FILE, "a folder");
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank() == 0) CHECK(rmdir(path) == 0);

    scalay_file_options options = scalay_file_options_default();
    options.format = SCALAY_FILE_NPY;
    REFUSED(scalay_matrix_write(comm, "/dev/full", &options, layout, SCALAY_DOUBLE, matrix), SCALAY_ERROR_FILE,
            "not a regular file");
    char endless[6000];
    memset(endless, 'x', sizeof endless);
    memcpy(endless + sizeof endless - 5, ".npy", 5);
    REFUSED(write_double(endless), SCALAY_ERROR_FILE, "it must have at most");
}

static void without_permission_the_old_file_stays(void)
{
    const char *path = files_path("old.npy");
    files_write(path, old_words, sizeof old_words);
    if (check_rank() == 0) CHECK(chmod(path, 0444) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (geteuid() == 0) CHECK(seteuid(NOBODY) == 0);
    REFUSED(write_double(path), SCALAY_ERROR_FILE, "Permission denied"); /* the file's */
    if (getuid() == 0) {
        CHECK(seteuid(0) == 0);
        MPI_Barrier(MPI_COMM_WORLD);
        if (check_rank() == 0) CHECK(chmod(path, 0666) == 0);
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK(seteuid(NOBODY) == 0);
        REFUSED(write_double(path), SCALAY_ERROR_FILE, "Permission denied"); /* the folder's */
        CHECK(seteuid(0) == 0);
    }
    check_old(path);
    files_remove(path);
}

/* A limit on the length of files stands for a full disk: part of the data arrives, then writing fails. */
static void without_room_the_old_file_stays(const char *name, rlim_t bytes)
{
    const char *path = files_path(name);
    struct rlimit before, small;
    files_write(path, old_words, sizeof old_words);
    signal(SIGXFSZ, SIG_IGN);
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    small = before;
    small.rlim_cur = bytes;
    CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
    scalay_status status = write_double(path);
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    REFUSED(status, SCALAY_ERROR_FILE, path);
    check_old(path);
    files_remove(path);
    signal(SIGXFSZ, SIG_DFL);
}

/* The rights of a file that is replaced stay, and a symbolic link stays one. */
static void what_is_replaced_keeps_its_place(void)
{
    const char *path = files_path("target.npy"), *link = files_path("link.npy");
    struct stat facts;
    files_write(path, old_words, sizeof old_words);
    if (check_rank() == 0) CHECK(chmod(path, 0640) == 0 && symlink("target.npy", link) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    REFUSED(write_double(link), SCALAY_SUCCESS, "");
    CHECK(lstat(link, &facts) == 0 && S_ISLNK(facts.st_mode));
    CHECK(stat(path, &facts) == 0 && (facts.st_mode & 0777) == 0640 && facts.st_size > M * N * 8);
    REFUSED(read_double(path), SCALAY_SUCCESS, "");
    files_remove(path);
    files_remove(link);
}

/* It can be neither followed nor replaced by a file. */
static void a_link_to_nowhere_is_refused(void)
{
    const char *link = files_path("dangling.npy");
    struct stat facts;
    if (check_rank() == 0) CHECK(symlink("nowhere/target.npy", link) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    REFUSED(write_double(link), SCALAY_ERROR_FILE, "symbolic link");
    CHECK(lstat(link, &facts) == 0 && S_ISLNK(facts.st_mode));
    files_remove(link);
}

int main(int argc, char **argv)
{
    /* A process that has changed its user may not be looked into: Open MPI must not send in that way. */
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 1);
    refusals_begin(&argc, &argv);
    what_cannot_be_written_is_told();
    without_permission_the_old_file_stays();
    without_room_the_old_file_stays("full.npy", 8192);
    without_room_the_old_file_stays("full.npy", 64);
    without_room_the_old_file_stays("full.mtx", 1000);
    what_is_replaced_keeps_its_place();
    a_link_to_nowhere_is_refused();
    return refusals_end();
}
