/** @file Runs a fuzzer's target once for each file that is named, so that its corpus is a test with any compiler. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
{
    enum { ROOM = 1 << 20 };
    FILE *stream = fopen(path, "rb");
    uint8_t *data = malloc(ROOM);
    size_t size = stream != NULL && data != NULL ? fread(data, 1, ROOM, stream) : ROOM;
    int fine = size < ROOM && stream != NULL && !ferror(stream);
    if (fine)
        (void)LLVMFuzzerTestOneInput(data, size);
    else
        fprintf(stderr, "%s: cannot be read, or has more than %d bytes\n", path, ROOM - 1);
    if (stream != NULL) fclose(stream);
    free(data);
    return fine;
}

int main(int argc, char **argv)
{
    int fine = argc > 1;
    for (int k = 1; k < argc; k++) fine &= run_file(argv[k]);
    printf("%d inputs\n", argc - 1);
    return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
