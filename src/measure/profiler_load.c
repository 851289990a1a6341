#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "measure/profiler_file.h"

enum { CHUNK = 1 << 16 };

static scalay_status cannot_read(const char *path, int reason)
{
    return scalay_fail(SCALAY_ERROR_FILE, "", "cannot read '%.200s': %s; check the name and its permissions", path,
                       strerror(reason));
}

static scalay_status read_all(const char *path, FILE *file, scalay_string *lines)
{
    scalay_status status = SCALAY_SUCCESS;
    size_t got = 1;
    errno = 0;
    while (got > 0) {
        SCALAY_TRY(SCALAY_GROW(lines->text, lines->capacity, lines->length + CHUNK));
        got = fread(lines->text + lines->length, 1, CHUNK, file);
        lines->length += (int64_t)got;
    }
    if (ferror(file)) status = cannot_read(path, errno);
cleanup:
    return status;
}

static scalay_status load(const char *path, FILE *file, scalay_profile_record **record)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_string lines = {0};
    SCALAY_TRY(read_all(path, file, &lines));
    SCALAY_TRY(scalay_record_parse(path, lines.text, lines.length, record));
cleanup:
    scalay_string_free(&lines);
    (void)fclose(file);
    return status;
}

scalay_status scalay_record_load(const char *path, scalay_profile_record **record)
{
    FILE *file = fopen(path, "r");
    *record = NULL;
    if (file != NULL) return load(path, file, record);
    return errno == ENOENT ? SCALAY_SUCCESS : cannot_read(path, errno);
}

scalay_status scalay_profile_record_read(const char *path, scalay_profile_record **record)
{
    if (record == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "record is NULL; pass where to put it");
    *record = NULL;
    if (path == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "path is NULL; name a file");
    FILE *file = fopen(path, "r");
    return file != NULL ? load(path, file, record) : cannot_read(path, errno);
}
