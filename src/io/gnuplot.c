#define _XOPEN_SOURCE 700
#include "io/gnuplot.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"

enum { WORDS = 200, ENDING = 64 };

/* Takes in all that comes, so that the writer never waits; keeps the first of it as one line. */
static void listen_to(int end, char words[WORDS])
{
    char bytes[256];
    size_t kept = 0;
    for (;;) {
        ssize_t got = read(end, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        for (ssize_t k = 0; k < got && kept + 1 < WORDS; k++)
            if (bytes[k] > ' ' || (kept > 0 && words[kept - 1] != ' ')) words[kept++] = bytes[k] > ' ' ? bytes[k] : ' ';
    }
    words[kept] = '\0';
}

/* The end of a picture. */
typedef struct {
    char bytes[ENDING];
    size_t count;
} ending;

static ending end_of(const char *picture)
{
    ending end = {{0}, 0};
    FILE *file = fopen(picture, "rb");
    if (file == NULL) return end;
    if (fseek(file, -(long)sizeof end.bytes, SEEK_END) != 0) rewind(file);
    end.count = fread(end.bytes, 1, sizeof end.bytes, file);
    (void)fclose(file);
    return end;
}

/* Whether a picture ends as .svg, .png or .pdf do. On a full disk gnuplot leaves a part of one and does not complain.
 */
static int is_whole(const ending *end)
{
    static const char *const marks[] = {"</svg>", "IEND", "%%EOF"};
    for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
        for (size_t at = 0; at + strlen(marks[k]) <= end->count; at++)
            if (memcmp(end->bytes + at, marks[k], strlen(marks[k])) == 0) return 1;
    return 0;
}

scalay_status scalay_gnuplot_run(const char *script, const char *picture)
{
    scalay_child child;
    char words[WORDS] = "", how[SCALAY_CHILD_REASON_SIZE];
    (void)unlink(picture); /* what is there afterwards is new */
    const int failed = scalay_child_start("gnuplot", "-d", script, SCALAY_CHILD_ERRORS, &child);
    if (failed)
        return SCALAY_FAIL(SCALAY_ERROR_FILE,
                           "gnuplot cannot be run: %s; install it (apt install gnuplot-nox), then: gnuplot '%.150s'",
                           strerror(failed), script);
    listen_to(child.pipe, words);
    scalay_child_wait(&child);
    const int ended_well = scalay_child_end(&child, how) != 0; /* or nobody can tell: the picture will */
    const ending end = end_of(picture);
    if (ended_well && is_whole(&end)) return SCALAY_SUCCESS;
    (void)unlink(picture);
    return SCALAY_FAIL(SCALAY_ERROR_FILE,
                       "gnuplot could not draw '%.100s' (script '%.100s'): %s; check the folder, or "
                       "install gnuplot-nox with cairo",
                       picture, script,
                       words[0] != '\0'              ? words
                       : ended_well && end.count > 0 ? "the picture is cut off: the disk may be full"
                                                     : "it made no picture");
}
