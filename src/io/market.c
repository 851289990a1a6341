/*
 * Matrix Market array files: a banner, comments, the extents, then the numbers by columns.
 * Source: Boisvert, Pozo, Remington, The Matrix Market Exchange Formats, NISTIR 5935 (1996).
 *
 * Numbers have no fixed length. Each rank counts the numbers of an equal share of the bytes, a prefix sum yields where
 * each slab begins, and each rank then reads its slab. Writing formats twice: once to count bytes, once to write.
 */
#include "io/market.h"

#include <stdio.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/number.h"
#include "io/convert.h"

/* ------------------------------------------------------------------------------------------------------- head */

enum { WORDS = 5, WORD_SIZE = 32 };

/* A line of the head, without its end. */
typedef struct {
    const char *at;
    const char *end;
} text_line;

/* The next line; 0 when the head ends before the line does. */
static int next_line(const scalay_file_head *head, int64_t *position, text_line *line)
{
    const char *start = head->bytes + *position;
    const char *newline = memchr(start, '\n', (size_t)(head->length - *position));
    if (newline == NULL && (head->length < head->file_bytes || *position == head->length)) return 0;
    const char *end = newline != NULL ? newline : head->bytes + head->length;
    *position = end - head->bytes + (newline != NULL);
    *line = (text_line){start, end};
    return 1;
}

/* The next word of a line in small letters, cut at WORD_SIZE - 1; its length before the cut. */
static int64_t next_word(text_line *line, char word[WORD_SIZE])
{
    while (line->at < line->end && scalay_market_is_space(*line->at)) line->at++;
    const char *start = line->at;
    while (line->at < line->end && !scalay_market_is_space(*line->at)) line->at++;
    scalay_printable(start, line->at - start, word, WORD_SIZE);
    for (char *at = word; *at != '\0'; at++)
        if (*at >= 'A' && *at <= 'Z') *at = (char)(*at | 0x20);
    return line->at - start;
}

/* What may stand in the banner behind %%MatrixMarket; known words that are not supported come with a remedy. */
static const struct {
    int place;
    const char *word;
    scalay_type type; /* of a field; 0: the word has no meaning of its own */
    const char *remedy;
} banner_words[] = {
    {1, "matrix", 0, NULL},
    {1, "vector", 0, "write it as a matrix of one column"},
    {2, "array", 0, NULL},
    {2, "coordinate", 0, "write the matrix dense, as an array: scipy.io.mmwrite(file, a.toarray())"},
    {3, "real", SCALAY_DOUBLE, NULL},
    {3, "double", SCALAY_DOUBLE, NULL},
    {3, "complex", SCALAY_COMPLEX_DOUBLE, NULL},
    {3, "integer", SCALAY_INT, NULL},
    {3, "pattern", 0, "a pattern has no numbers: write the matrix itself, as an array"},
    {4, "general", 0, NULL},
    {4, "symmetric", 0, "write both triangles: scipy.io.mmwrite(file, a, symmetry='general')"},
    {4, "skew-symmetric", 0, "write both triangles: scipy.io.mmwrite(file, a, symmetry='general')"},
    {4, "hermitian", 0, "write both triangles: scipy.io.mmwrite(file, a, symmetry='general')"},
};

enum { BANNER_WORDS = (int)(sizeof banner_words / sizeof banner_words[0]) };

static scalay_status check_word(const char *path, int place, const char *word, scalay_file_info *info)
{
    int k = 0;
    while (k < BANNER_WORDS && (banner_words[k].place != place || strcmp(banner_words[k].word, word) != 0)) k++;
    if (k == BANNER_WORDS)
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                           "'%.200s' line 1: word %d is '%s'; the line must be \"%%%%MatrixMarket matrix array "
                           "real|complex|integer general\"",
                           path, place + 1, word);
    if (banner_words[k].remedy != NULL)
        return SCALAY_FAIL(SCALAY_ERROR_UNSUPPORTED, "'%.200s' line 1: Matrix Market '%s' files are not supported; %s",
                           path, word, banner_words[k].remedy);
    if (banner_words[k].type != 0) info->type = banner_words[k].type;
    return SCALAY_SUCCESS;
}

static scalay_status parse_banner(const char *path, text_line line, scalay_file_info *info)
{
    scalay_status status = SCALAY_SUCCESS;
    char word[WORD_SIZE];
    if (next_word(&line, word) != (int64_t)strlen(SCALAY_MARKET_MAGIC)) word[0] = '\0';
    for (int place = 1; place < WORDS; place++) {
        if (word[0] != '\0') (void)next_word(&line, word);
        SCALAY_TRY(check_word(path, place, word, info));
    }
    if (next_word(&line, word) > 0)
        status = SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                             "'%.200s' line 1: '%s' behind \"general\" does not belong there; remove it", path, word);
cleanup:
    return status;
}

/* 1 for digits that make a number below 2^63. */
static int parse_extent(const char *word, int64_t length, int64_t *extent)
{
    int64_t value = 0;
    if (length == 0 || length >= WORD_SIZE) return 0;
    for (const char *at = word; *at != '\0'; at++) {
        if (*at < '0' || *at > '9') return 0;
        if (!scalay_multiply_int64(value, 10, &value) || !scalay_add_int64(value, *at - '0', &value)) return 0;
    }
    *extent = value;
    return 1;
}

static scalay_status parse_extents(const char *path, int64_t number, text_line line, scalay_file_info *info)
{
    char shown[64], m[WORD_SIZE], n[WORD_SIZE], rest[WORD_SIZE];
    scalay_printable(line.at, line.end - line.at, shown, sizeof shown);
    int64_t m_length = next_word(&line, m), n_length = next_word(&line, n);
    if (parse_extent(m, m_length, &info->m) && parse_extent(n, n_length, &info->n) && next_word(&line, rest) == 0)
        return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                       "'%.200s' line %lld: \"%s\" should be the numbers of rows and columns, each from 0 to 2^63 - 1; "
                       "write \"m n\"",
                       path, (long long)number, shown);
}

/* A number takes a character at least, and one to part it from the next: a lie about the extents shows early. */
static scalay_status check_room(const scalay_file_head *head, const scalay_file_info *info)
{
    int64_t numbers = 0, room = (head->file_bytes - info->data_offset + 1) / 2;
    if (scalay_multiply_int64(info->m, info->n, &numbers) &&
        scalay_multiply_int64(numbers, scalay_components(info->type), &numbers) && numbers <= room)
        return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                       "'%.200s' is truncated: %lld x %lld %s promise more numbers than its %lld bytes can hold; copy "
                       "or write it again",
                       head->path, (long long)info->m, (long long)info->n,
                       scalay_components(info->type) == 2 ? "pairs of numbers" : "numbers",
                       (long long)head->file_bytes);
}

static int is_blank(text_line line)
{
    char word[WORD_SIZE];
    return next_word(&line, word) == 0;
}

scalay_status scalay_market_parse(const scalay_file_head *head, scalay_file_info *info)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t position = 0, number = 1;
    text_line line = {head->bytes, head->bytes};
    int found = next_line(head, &position, &line);
    if (found) SCALAY_TRY(parse_banner(head->path, line, info));
    do {
        found = found && next_line(head, &position, &line);
        number++;
    } while (found && (*line.at == '%' || is_blank(line)));
    if (!found)
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                           "'%.200s' has no line with the numbers of rows and columns in its first %lld bytes; write "
                           "\"m n\" behind the comments",
                           head->path, (long long)head->length);
    SCALAY_TRY(parse_extents(head->path, number, line, info));
    info->order = SCALAY_COLUMN_MAJOR;
    info->dimensions = 2;
    info->data_offset = position;
    status = check_room(head, info);
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------------ slabs */

/*
 * Where the numbers are. Each rank counts those that start in its share of the bytes and keeps the count at every
 * chunk, so that the place of any one of its numbers can be found later by looking through one chunk again.
 */
typedef struct {
    const scalay_file *file;
    char *buffer;  /* file->chunk bytes: the first is the one before the chunk */
    int64_t data;  /* where the numbers begin in the file */
    int64_t begin; /* the rank's share of the bytes */
    int64_t end;
    int64_t step; /* bytes of a chunk */
    int64_t chunks;
    int64_t *counts; /* shape [chunks + 1]: numbers that start in the share before each chunk */
    int64_t before;  /* numbers of the lower ranks */
    int64_t all;     /* numbers of all ranks */
} census;

/* Reads the byte in front of a chunk and the chunk; tells the chunk's length. */
static scalay_status load_chunk(const census *counted, int64_t chunk, int64_t *length)
{
    int64_t start = counted->begin + chunk * counted->step;
    *length = scalay_min_int64(counted->step, counted->end - start);
    if (start > counted->data) return scalay_file_read(counted->file, start - 1, *length + 1, counted->buffer);
    counted->buffer[0] = '\n';
    return scalay_file_read(counted->file, start, *length, counted->buffer + 1);
}

/* The place in the chunk where its wanted-th number starts, or -1; tells how many start before it. */
static int64_t find_start(const char *buffer, int64_t length, int64_t wanted, int64_t *found)
{
    int64_t count = 0;
    int space = scalay_market_is_space(buffer[0]);
    for (int64_t k = 1; k <= length; k++) {
        int now = scalay_market_is_space(buffer[k]);
        if (space && !now && count++ == wanted) return k - 1;
        space = now;
    }
    *found = count;
    return -1;
}

static scalay_status count_share(census *counted)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(counted->counts, counted->chunks + 1));
    for (int64_t k = 0; k < counted->chunks; k++) {
        int64_t length = 0, found = 0;
        SCALAY_TRY(load_chunk(counted, k, &length));
        (void)find_start(counted->buffer, length, INT64_MAX, &found);
        counted->counts[k + 1] = counted->counts[k] + found;
    }
cleanup:
    return status;
}

static scalay_status check_total(const census *counted, const scalay_file_info *info)
{
    int64_t promised = info->m * info->n * scalay_components(info->type);
    if (counted->all == promised) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                       "'%.200s' has %lld numbers, but a %lld x %lld matrix with %d number(s) in an element has %lld; "
                       "copy or write the file again",
                       counted->file->path, (long long)counted->all, (long long)info->m, (long long)info->n,
                       scalay_components(info->type), (long long)promised);
}

static scalay_status take_census(census *counted, const scalay_file_info *info)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_comm *comm = counted->file->comm;
    SCALAY_TRY(scalay_comm_agree(comm, count_share(counted)));
    int64_t mine = counted->counts[counted->chunks];
    SCALAY_TRY_MPI(MPI_Exscan(&mine, &counted->before, 1, MPI_INT64_T, MPI_SUM, comm->mpi));
    SCALAY_TRY_MPI(MPI_Allreduce(&mine, &counted->all, 1, MPI_INT64_T, MPI_SUM, comm->mpi));
    if (comm->rank == 0) counted->before = 0; /* MPI_Exscan leaves it undefined */
    status = check_total(counted, info);
cleanup:
    return status;
}

/* The byte at which one of the rank's numbers starts; numbers are asked for in ascending order. */
static scalay_status locate_number(const census *counted, int64_t number, int64_t *chunk, int64_t *loaded,
                                   int64_t *place)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t length = 0, found = 0;
    while (counted->counts[*chunk + 1] <= number) (*chunk)++;
    length = scalay_min_int64(counted->step, counted->end - (counted->begin + *chunk * counted->step));
    if (*loaded != *chunk) SCALAY_TRY(load_chunk(counted, *chunk, &length));
    *loaded = *chunk;
    *place = counted->begin + *chunk * counted->step +
             find_start(counted->buffer, length, number - counted->counts[*chunk], &found);
cleanup:
    return status;
}

/* starts[r] for every slab r whose first number starts in this rank's share. */
static scalay_status locate_slabs(const census *counted, const scalay_slab *slab, int components, int64_t *starts)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t per_slab = slab->per_rank * slab->line * components, mine = counted->counts[counted->chunks];
    int64_t chunk = 0, loaded = -1;
    if (per_slab == 0) return SCALAY_SUCCESS;
    for (int64_t r = scalay_ceil_div(counted->before, per_slab); r < counted->file->comm->size; r++) {
        int64_t number = r * per_slab - counted->before;
        if (number >= mine) break;
        SCALAY_TRY(locate_number(counted, number, &chunk, &loaded, &starts[r]));
    }
cleanup:
    return status;
}

scalay_status scalay_market_locate(const scalay_file *file, const scalay_file_info *info, const scalay_slab *slab,
                                   char *buffer, int64_t *begin, int64_t *end)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_comm *comm = file->comm;
    int64_t *starts = NULL;
    int64_t bytes = file->bytes - info->data_offset, share = scalay_ceil_div(bytes, comm->size);
    int64_t mine = scalay_min_int64(bytes, comm->rank * share);
    census counted = {.file = file, .buffer = buffer, .data = info->data_offset, .step = file->chunk - 1};
    counted.begin = info->data_offset + mine;
    counted.end = info->data_offset + scalay_min_int64(bytes, mine + share);
    counted.chunks = scalay_ceil_div(counted.end - counted.begin, counted.step);

    SCALAY_TRY(take_census(&counted, info));
    status = SCALAY_NEW(starts, (int64_t)comm->size + 1);
    for (int r = 0; status == SCALAY_SUCCESS && r <= comm->size; r++) starts[r] = -1;
    if (status == SCALAY_SUCCESS) status = locate_slabs(&counted, slab, scalay_components(info->type), starts);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, starts, comm->size + 1, MPI_INT64_T, MPI_MAX, comm->mpi));
    /* Slabs without numbers start where the file ends. */
    *begin = starts[comm->rank] >= 0 ? starts[comm->rank] : file->bytes;
    *end = starts[comm->rank + 1] >= 0 ? starts[comm->rank + 1] : file->bytes;
cleanup:
    scalay_release(starts);
    scalay_release(counted.counts);
    return status;
}

/* ---------------------------------------------------------------------------------------------------- reading */

/* The rank's slab on its way from text to numbers. */
typedef struct {
    const scalay_file *file;
    const scalay_file_info *info;
    const scalay_slab *slab;
    scalay_type type; /* in memory */
    char *data;       /* the slab's local array: by columns, as the file */
    char *buffer;     /* file->chunk bytes of text */
    int64_t position; /* in the file: where the next number or the space before it is */
    int64_t end;      /* in the file */
    int64_t numbers;  /* of the slab */
    int64_t done;     /* numbers read */
} reading;

static scalay_number_verdict store_number(const reading *text, char *token)
{
    int stored = scalay_components(text->info->type), wanted = scalay_components(text->type);
    int64_t place = text->done / stored * wanted + text->done % stored;
    double d = 0.0;
    float s = 0.0f;
    int i = 0;
    scalay_number_verdict verdict = SCALAY_NUMBER_VALID;
    if (text->info->type == SCALAY_INT) verdict = scalay_number_check_integer(token);
    if (verdict != SCALAY_NUMBER_VALID) return verdict;
    size_t size = scalay_type_size(text->type) / (size_t)wanted;
    char *at = text->data + place * (int64_t)size;
    const void *value = &d;
    if (text->type == SCALAY_INT) {
        verdict = scalay_number_int(token, &i);
        value = &i;
    } else if (size == sizeof s) {
        verdict = scalay_number_float(token, &s);
        value = &s;
    } else {
        verdict = scalay_number_double(token, &d);
    }
    memcpy(at, value, size);
    if (stored < wanted) memset(at + size, 0, size); /* a real number's imaginary part */
    return verdict;
}

/* The line of a byte, counted from 1, by looking through all that is before it; 0 when it cannot be read. */
static int64_t line_of(const reading *text, int64_t position)
{
    int64_t line = 1;
    for (int64_t at = 0; at < position; at += text->file->chunk) {
        int64_t length = scalay_min_int64(text->file->chunk, position - at);
        if (scalay_file_read(text->file, at, length, text->buffer) != SCALAY_SUCCESS) return 0;
        for (int64_t k = 0; k < length; k++) line += text->buffer[k] == '\n';
    }
    return line;
}

static scalay_status bad_number(const reading *text, int64_t position, const char *token, scalay_number_verdict verdict)
{
    char shown[40];
    scalay_printable(token, (int64_t)strlen(token), shown, sizeof shown);
    int64_t element = text->done / scalay_components(text->info->type);
    long long row = (long long)(element % text->slab->line);
    long long col = (long long)(element / text->slab->line + text->slab->first);
    long long line = (long long)line_of(text, position);
    if (verdict == SCALAY_NUMBER_TOO_LARGE)
        return SCALAY_FAIL(SCALAY_ERROR_RANGE,
                           "'%.200s' line %lld: '%s', element (%lld, %lld) counted from 0, is too large for type %s; "
                           "read the matrix into a wider type",
                           text->file->path, line, shown, row, col, scalay_type_name(text->type));
    return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                       "'%.200s' line %lld: '%s', element (%lld, %lld) counted from 0, is not %s; correct it",
                       text->file->path, line, shown, row, col,
                       text->info->type == SCALAY_INT ? "an integer, as line 1 promises" : "a number");
}

/* Reads one number of the given length from the buffer. */
static scalay_status read_number(reading *text, const char *start, int64_t length)
{
    char token[SCALAY_NUMBER_SIZE];
    int64_t position = text->position + (start - text->buffer);
    int64_t kept = scalay_min_int64(length, SCALAY_NUMBER_SIZE - 1);
    memcpy(token, start, (size_t)kept);
    token[kept] = '\0';
    scalay_number_verdict verdict = SCALAY_NUMBER_INVALID;
    /* A NUL within would end the number early for the parser. */
    if (kept == length && memchr(token, '\0', (size_t)kept) == NULL) verdict = store_number(text, token);
    if (verdict != SCALAY_NUMBER_VALID) return bad_number(text, position, token, verdict);
    text->done++;
    return SCALAY_SUCCESS;
}

/* Reads the numbers that end in a buffer of text, or the file with it; the rest is left for the next buffer. */
static scalay_status read_buffer(reading *text, int64_t length)
{
    scalay_status status = SCALAY_SUCCESS;
    int last = text->position + length == text->end;
    int64_t at = 0;
    while (text->done < text->numbers) {
        while (at < length && scalay_market_is_space(text->buffer[at])) at++;
        int64_t stop = at;
        while (stop < length && !scalay_market_is_space(text->buffer[stop])) stop++;
        int whole = stop < length || last || (at == 0 && length == text->file->chunk);
        if (at == length || !whole) break;
        SCALAY_TRY(read_number(text, text->buffer + at, stop - at));
        at = stop;
    }
    text->position += at;
cleanup:
    return status;
}

static scalay_status read_numbers(reading *text)
{
    scalay_locale locale = {0};
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_locale_enter(&locale));
    while (text->done < text->numbers) {
        int64_t length = scalay_min_int64(text->file->chunk, text->end - text->position);
        if (length <= 0)
            SCALAY_TRY(SCALAY_FAIL(SCALAY_ERROR_FILE, "'%.200s' has changed while it was read; read it again",
                                   text->file->path));
        SCALAY_TRY(scalay_file_read(text->file, text->position, length, text->buffer));
        SCALAY_TRY(read_buffer(text, length));
    }
cleanup:
    scalay_locale_leave(&locale);
    return status;
}

scalay_status scalay_market_read(const scalay_file *file, const scalay_file_info *info, const scalay_slab *slab,
                                 scalay_type type, void *data)
{
    scalay_status status = SCALAY_SUCCESS;
    reading text = {.file = file, .info = info, .slab = slab, .type = type, .data = data};
    text.numbers = slab->count * slab->line * scalay_components(info->type);
    SCALAY_TRY(scalay_comm_agree(file->comm, SCALAY_NEW(text.buffer, file->chunk)));
    SCALAY_TRY(scalay_market_locate(file, info, slab, text.buffer, &text.position, &text.end));
    status = read_numbers(&text);
cleanup:
    scalay_release(text.buffer);
    return status;
}

/* ---------------------------------------------------------------------------------------------------- writing */

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
