#include <stdio.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/number.h"
#include "io/convert.h"
#include "io/market.h"

enum {
    BUFFER = 1 << 20,
    ELEMENT = 80, /* room for an element as text: two numbers of at most 25 characters, a space, a newline */
    HEAD = 256
};

/* The rank's slab on its way from numbers to text; a first pass only counts the bytes. */
typedef struct {
    const scalay_file *file;
    scalay_type type;
    const char *data;
    int64_t elements;
    char *buffer;  /* BUFFER bytes */
    int64_t used;  /* of the buffer */
    int64_t start; /* where the slab goes in the file; -1: the pass that counts */
    int64_t bytes; /* that have left the buffer */
} writing;

static const char *field_of(scalay_type type)
{
    if (type == SCALAY_INT) return "integer";
    return scalay_components(type) == 2 ? "complex" : "real";
}

/* So many digits tell any two numbers of a type apart. */
static int format_element(const writing *text, int64_t k, char *to)
{
    float s[2];
    double d[2];
    int i;
    const char *at = text->data + k * (int64_t)scalay_type_size(text->type);
    switch (text->type) {
    case SCALAY_FLOAT:
        memcpy(s, at, sizeof s[0]);
        return snprintf(to, ELEMENT, "%.9g\n", (double)s[0]);
    case SCALAY_COMPLEX_FLOAT:
        memcpy(s, at, sizeof s);
        return snprintf(to, ELEMENT, "%.9g %.9g\n", (double)s[0], (double)s[1]);
    case SCALAY_COMPLEX_DOUBLE:
        memcpy(d, at, sizeof d);
        return snprintf(to, ELEMENT, "%.17g %.17g\n", d[0], d[1]);
    case SCALAY_INT:
        memcpy(&i, at, sizeof i);
        return snprintf(to, ELEMENT, "%d\n", i);
    default:
        memcpy(d, at, sizeof d[0]);
        return snprintf(to, ELEMENT, "%.17g\n", d[0]);
    }
}

static scalay_status flush(writing *text)
{
    scalay_status status = SCALAY_SUCCESS;
    if (text->start >= 0)
        for (int64_t done = 0; done < text->used; done += text->file->chunk)
            SCALAY_TRY(scalay_file_write(text->file, text->start + text->bytes + done,
                                         scalay_min_int64(text->file->chunk, text->used - done), text->buffer + done));
    text->bytes += text->used;
    text->used = 0;
cleanup:
    return status;
}

static scalay_status format_slab(writing *text, int64_t start)
{
    scalay_status status = SCALAY_SUCCESS;
    text->start = start;
    text->bytes = 0;
    for (int64_t k = 0; k < text->elements; k++) {
        if (text->used + ELEMENT > BUFFER) SCALAY_TRY(flush(text));
        text->used += format_element(text, k, text->buffer + text->used);
    }
    status = flush(text);
cleanup:
    return status;
}

static scalay_status measure_slab(writing *text, scalay_locale *locale)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(text->buffer, BUFFER));
    SCALAY_TRY(scalay_locale_enter(locale));
    status = format_slab(text, -1);
cleanup:
    return status;
}

scalay_status scalay_market_write(const scalay_file *file, const scalay_file_info *info, const scalay_slab *slab,
                                  const void *data, int64_t *bytes)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_locale locale = {0};
    writing text = {.file = file, .type = info->type, .data = data, .elements = slab->count * slab->line};
    char head[HEAD];
    int64_t head_bytes = snprintf(head, sizeof head, "%s matrix array %s general\n%lld %lld\n", SCALAY_MARKET_MAGIC,
                                  field_of(info->type), (long long)info->m, (long long)info->n);
    int64_t before = 0;
    SCALAY_TRY(scalay_comm_agree(file->comm, measure_slab(&text, &locale)));
    SCALAY_TRY_MPI(MPI_Exscan(&text.bytes, &before, 1, MPI_INT64_T, MPI_SUM, file->comm->mpi));
    SCALAY_TRY_MPI(MPI_Allreduce(&text.bytes, bytes, 1, MPI_INT64_T, MPI_SUM, file->comm->mpi));
    *bytes += head_bytes;
    if (file->comm->rank == 0) {
        before = 0; /* MPI_Exscan leaves it undefined */
        SCALAY_TRY(scalay_file_write(file, 0, head_bytes, head));
    }
    status = format_slab(&text, head_bytes + before);
cleanup:
    scalay_locale_leave(&locale);
    scalay_release(text.buffer);
    return status;
}
