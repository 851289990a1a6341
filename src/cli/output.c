/*
 * Output of the command. Everything that is printed on success goes to the standard output in one format: text in lines
 * of at most 80 columns, or one JSON document.
 */

#include "output.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/replacement.h"
#include "base/text.h"
#include "io/plot.h"

/* ------------------------------------------------------------------------------------- messages, exit codes */

scalay_exit scalay_exit_code(scalay_status status)
{
    static const scalay_exit codes[] = {
        [SCALAY_SUCCESS] = SCALAY_EXIT_DONE,
        [SCALAY_ERROR_ARGUMENT] = SCALAY_EXIT_INPUT,
        [SCALAY_ERROR_RANGE] = SCALAY_EXIT_INPUT,
        [SCALAY_ERROR_MEMORY] = SCALAY_EXIT_SYSTEM,
        [SCALAY_ERROR_MISMATCH] = SCALAY_EXIT_INPUT,
        [SCALAY_ERROR_INFEASIBLE] = SCALAY_EXIT_NO_SOLUTION,
        [SCALAY_ERROR_UNSUPPORTED] = SCALAY_EXIT_INPUT,
        [SCALAY_ERROR_MPI] = SCALAY_EXIT_SYSTEM,
        [SCALAY_ERROR_BLACS] = SCALAY_EXIT_SYSTEM,
        [SCALAY_ERROR_FILE] = SCALAY_EXIT_SYSTEM,
        [SCALAY_ERROR_FORMAT] = SCALAY_EXIT_INPUT,
        [SCALAY_ERROR_INTERNAL] = SCALAY_EXIT_SYSTEM,
    };
    return (size_t)status < sizeof codes / sizeof *codes ? codes[status] : SCALAY_EXIT_SYSTEM;
}

scalay_status scalay_as_input(scalay_status status)
{
    return status == SCALAY_ERROR_FILE ? SCALAY_ERROR_FORMAT : status;
}

/* Skips a prefix such as "scalay_layout_parse: ". */
static const char *without_function(const char *message)
{
    const size_t length = strspn(message, "abcdefghijklmnopqrstuvwxyz0123456789_");
    const int has_prefix =
        length > 0 && strncmp(message + length, ": ", 2) == 0 && memchr(message, '_', length) != NULL;
    return has_prefix ? message + length + 2 : message;
}

/* Returns the length of the prefix "rank 3: " of a message from another rank. */
static size_t rank_length(const char *message)
{
    if (strncmp(message, "rank ", 5) != 0) return 0;
    const size_t digits = strspn(message + 5, "0123456789");
    return digits > 0 && strncmp(message + 5 + digits, ": ", 2) == 0 ? digits + 7 : 0;
}

scalay_status scalay_fail_at(scalay_status status, const char *where)
{
    return scalay_fail(status, "", "%s: %s", where, without_function(scalay_error_message()));
}

void scalay_print_failure(const char *subcommand)
{
    fflush(stdout);
    const char *message = scalay_error_message();
    const size_t rank = rank_length(message);
    fprintf(stderr, "scalay %s: %.*s%s\n", subcommand, (int)rank, message, without_function(message + rank));
}

/* 1 if a write to the standard output failed because the reader of the pipe has closed it. */
static int reader_has_gone;

static scalay_status fail_to_write(void)
{
    if (errno == EPIPE) reader_has_gone = 1;
    return SCALAY_FAIL(SCALAY_ERROR_FILE, "cannot write to the standard output: %s; check free space and quota",
                       errno != 0 ? strerror(errno) : "an earlier write failed");
}

scalay_exit scalay_finish(const char *subcommand, scalay_status status)
{
    errno = 0;
    const int failed = fflush(stdout) != 0 || ferror(stdout);
    if (failed && errno == EPIPE) reader_has_gone = 1;
    if (reader_has_gone && (status == SCALAY_SUCCESS || status == SCALAY_ERROR_FILE)) return SCALAY_EXIT_DONE;
    if (status == SCALAY_SUCCESS && failed) status = fail_to_write();
    if (status != SCALAY_SUCCESS) scalay_print_failure(subcommand);
    return scalay_exit_code(status);
}

scalay_status scalay_check_writable(const char *option, const char *path)
{
    if (path == NULL) return SCALAY_SUCCESS;
    const scalay_status status = scalay_replacement_check(path);
    return status == SCALAY_SUCCESS ? status : scalay_fail_at(status, option);
}

scalay_status scalay_check_picture(const char *path)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_string script = {0};
    if (path == NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_plot_check_path(path));
    scalay_string_append(&script, "%s.gp", path);
    SCALAY_TRY(script.status);
    SCALAY_TRY(scalay_replacement_check(path));
    SCALAY_TRY(scalay_replacement_check(script.text));
cleanup:
    scalay_string_free(&script);
    return status == SCALAY_SUCCESS ? status : scalay_fail_at(status, "--plot");
}

/* -------------------------------------------------------------------------------------------- text, tables */

enum { ROW_SIZE = 512, MAX_COLUMNS = 16, LINE_WIDTH = 80 };

void scalay_print_wrapped(const char *text, int indent, int started, FILE *stream)
{
    int column = indent;
    if (!started) fprintf(stream, "%*s", indent, "");
    for (const char *word = text; *word != '\0';) {
        const int length = (int)strcspn(word, " \n");
        if (column + length > LINE_WIDTH && column > indent) {
            fprintf(stream, "\n%*s", indent, "");
            column = indent;
        }
        fprintf(stream, "%s%.*s", column > indent ? " " : "", length, word);
        column += length + 1;
        word += length;
        word += strspn(word, " \n");
    }
    fprintf(stream, "\n");
}

/* Returns the end of a paragraph: an empty line, a line that starts with a blank, or the end of the text. */
static const char *paragraph_end(const char *text)
{
    const char *end = text;
    while (*end != '\0' && !(*end == '\n' && strchr(" \n", end[1]) != NULL)) end++;
    return end;
}

void scalay_print_paragraphs(const char *text, FILE *stream)
{
    while (*text != '\0') {
        const char *end = *text == ' ' ? text + strcspn(text, "\n") : paragraph_end(text);
        scalay_string paragraph = {0};
        if (*text == '\n') {
            fprintf(stream, "\n");
            text++;
            continue;
        }
        scalay_string_append(&paragraph, "%.*s", (int)(end - text), text);
        if (*text == ' ' || paragraph.status != SCALAY_SUCCESS)
            fprintf(stream, "%.*s\n", (int)(end - text), text);
        else
            scalay_print_wrapped(paragraph.text, 0, 0, stream);
        scalay_string_free(&paragraph);
        text = end + (*end == '\n');
    }
}

double scalay_percent(double part, double whole)
{
    return whole > 0.0 ? 100.0 * part / whole : 0.0;
}

int scalay_percent_digits(double one, double other)
{
    int digits = 1;
    for (double scale = 10; digits < 6 && round(one * scale) == round(other * scale); scale *= 10) digits++;
    return digits;
}

scalay_status scalay_table_add(scalay_table *table, const char *format, ...)
{
    char row[ROW_SIZE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(row, sizeof row, format, arguments);
    va_end(arguments);
    const int64_t length = (int64_t)strlen(row) + 1;
    const scalay_status status = SCALAY_GROW(table->text, table->capacity, table->length + length);
    if (status != SCALAY_SUCCESS) return status;
    memcpy(table->text + table->length, row, (size_t)length);
    table->length += length;
    return SCALAY_SUCCESS;
}

/* Sets the width of each column to the maximum over the rows. */
static void find_widths(const scalay_table *table, int width[MAX_COLUMNS])
{
    for (int64_t at = 0; at < table->length; at += (int64_t)strlen(table->text + at) + 1) {
        const char *field = table->text + at;
        for (int col = 0; col < MAX_COLUMNS; col++) {
            const int length = (int)strcspn(field, "|");
            if (length > width[col]) width[col] = length;
            if (field[length] == '\0') break;
            field += length + 1;
        }
    }
}

static void print_row(const char *field, const int width[MAX_COLUMNS])
{
    for (int col = 0; col < MAX_COLUMNS; col++) {
        const int length = (int)strcspn(field, "|");
        const int padding = width[col] - length;
        const int is_last = field[length] == '\0';
        if (col == 0)
            printf("  %.*s%*s", length, field, is_last ? 0 : padding, "");
        else
            printf("  %*s%.*s", padding, "", length, field);
        if (is_last) break;
        field += length + 1;
    }
    printf("\n");
}

void scalay_table_print(const scalay_table *table)
{
    int width[MAX_COLUMNS] = {0};
    find_widths(table, width);
    for (int64_t at = 0; at < table->length; at += (int64_t)strlen(table->text + at) + 1)
        print_row(table->text + at, width);
}

void scalay_table_free(scalay_table *table)
{
    scalay_release(table->text);
    *table = (scalay_table){0};
}

/* ---------------------------------------------------------------------------------------------------- JSON */

json_t *scalay_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *scalay_json_append(json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) == 0) return array;
    json_decref(array);
    return NULL;
}

json_t *scalay_json_set(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) == 0) return object;
    json_decref(object);
    return NULL;
}

json_t *scalay_json_join(json_t *object, json_t *more)
{
    const int failed = object == NULL || more == NULL || json_object_update(object, more) != 0;
    json_decref(more);
    if (!failed) return object;
    json_decref(object);
    return NULL;
}

json_t *scalay_json_list(int64_t count, json_t *(*make)(const void *context, int64_t k), const void *context)
{
    json_t *list = json_array();
    for (int64_t k = 0; list != NULL && k < count; k++) list = scalay_json_append(list, make(context, k));
    return list;
}

static json_t *make_int(const void *values, int64_t k)
{
    return json_integer(((const int *)values)[k]);
}

static json_t *make_int64(const void *values, int64_t k)
{
    return json_integer((json_int_t)((const int64_t *)values)[k]);
}

json_t *scalay_json_integers(const int *values, int count)
{
    return scalay_json_list(count, make_int, values);
}

json_t *scalay_json_int64s(const int64_t *values, int64_t count)
{
    return scalay_json_list(count, make_int64, values);
}

/* Prints a number with the fewest digits that read back, and with a point or an exponent, so that it stays a real
   number. */
static int write_real(double value)
{
    enum { MAX_DIGITS = 17 };
    static const double max_fixed = 1e15;
    char text[32];
    for (int digits = 1; digits <= MAX_DIGITS; digits++) {
        (void)snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    if (fabs(value) >= 10.0 && fabs(value) < max_fixed) { /* no exponent: as many digits as the integer part has */
        const int integers = (int)floor(log10(fabs(value))) + 1;
        if (strchr(text, 'e') != NULL) (void)snprintf(text, sizeof text, "%.*g", integers, value);
    }
    return printf("%s%s", text, strpbrk(text, ".e") == NULL ? ".0" : "") < 0;
}

static int write_value(json_t *value, int embedded);

static int write_object(json_t *object, int embedded)
{
    const char *key = NULL;
    json_t *member = NULL;
    const char *separator = "";
    int failed = !embedded && putchar('{') == EOF;
    json_object_foreach(object, key, member)
    {
        failed = failed || printf("%s\"%s\": ", separator, key) < 0 || write_value(member, 0);
        separator = ", ";
    }
    return failed || (!embedded && putchar('}') == EOF);
}

static int write_array(json_t *array)
{
    int failed = putchar('[') == EOF;
    for (size_t k = 0; !failed && k < json_array_size(array); k++)
        failed = (k > 0 && printf(", ") < 0) || write_value(json_array_get(array, k), 0);
    return failed || putchar(']') == EOF;
}

static int write_value(json_t *value, int embedded)
{
    if (json_is_object(value)) return write_object(value, embedded);
    if (json_is_array(value)) return write_array(value);
    if (json_is_real(value)) return write_real(json_real_value(value));
    return json_dumpf(value, stdout, JSON_ENCODE_ANY);
}

scalay_status scalay_json_write(json_t *value, int embedded)
{
    if (value == NULL) return SCALAY_FAIL(SCALAY_ERROR_MEMORY, "no memory for the JSON document");
    errno = 0;
    const int failed = write_value(value, embedded);
    const int error = errno;
    json_decref(value);
    if (!failed) return SCALAY_SUCCESS;
    if (!ferror(stdout)) return SCALAY_FAIL(SCALAY_ERROR_MEMORY, "no memory to print the JSON document");
    errno = error;
    return fail_to_write();
}

scalay_status scalay_json_print(json_t *document)
{
    json_t *whole = scalay_json_join(json_pack("{s:i}", "version", SCALAY_JSON_VERSION), document);
    const scalay_status status = scalay_json_write(whole, 0);
    if (status == SCALAY_SUCCESS) printf("\n");
    return status;
}

/* ------------------------------------------------------------------------------------------------ progress */

enum { FIRST_SECOND = 2, TEXT_SIZE = 160, MINUTE = 60, HOUR = 3600 };

/* State of the progress line. Owned by scalay_progress_start() and scalay_progress_stop(). */
static struct {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stopped;
    int is_running;
    int stop;
    const char *subcommand;
    char text[TEXT_SIZE];
    double first;    /* fraction at `first_at`, the begin of the phase */
    double fraction; /* of the phase that is complete; negative: not known */
    double left;     /* seconds, at `left_at`; negative: to be estimated from the fraction */
    int first_at, left_at;
    int seconds; /* since the start */
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER, .stopped = PTHREAD_COND_INITIALIZER};

/* Estimates the seconds left; negative: not known. */
static double seconds_left(void)
{
    if (progress.left >= 0.0) return fmax(0.0, progress.left - (progress.seconds - progress.left_at));
    if (progress.fraction <= progress.first) return -1.0;
    return (progress.seconds - progress.first_at) * (1.0 - progress.fraction) / (progress.fraction - progress.first);
}

static void print_left(void)
{
    const double left = seconds_left();
    const long seconds = lround(fmin(left, 1e8));
    if (progress.fraction >= 0.0) fprintf(stderr, ", %.0f%%", 100.0 * progress.fraction);
    if (left < 0.0) return;
    if (seconds >= HOUR)
        fprintf(stderr, ", about %ld h %ld min left", seconds / HOUR, seconds % HOUR / MINUTE);
    else if (seconds >= MINUTE)
        fprintf(stderr, ", about %ld min left", seconds / MINUTE);
    else
        fprintf(stderr, ", about %ld s left", seconds);
}

static void print_line(void)
{
    fprintf(stderr, "\r\033[Kscalay %s: %s (%d s", progress.subcommand, progress.text, progress.seconds);
    print_left();
    fprintf(stderr, ")");
}

static void *show_until_stopped(void *unused)
{
    struct timespec next;
    (void)clock_gettime(CLOCK_REALTIME, &next);
    pthread_mutex_lock(&progress.lock);
    while (!progress.stop) {
        next.tv_sec++;
        while (!progress.stop && pthread_cond_timedwait(&progress.stopped, &progress.lock, &next) == 0) continue;
        if (!progress.stop && ++progress.seconds >= FIRST_SECOND) print_line();
    }
    if (progress.seconds >= FIRST_SECOND) fprintf(stderr, "\r\033[K");
    pthread_mutex_unlock(&progress.lock);
    return unused;
}

void scalay_progress_start(const char *subcommand, int wanted)
{
    if (!wanted || progress.is_running || !isatty(STDERR_FILENO)) return;
    progress.subcommand = subcommand;
    progress.stop = 0;
    progress.seconds = 0;
    progress.fraction = progress.left = -1.0;
    (void)snprintf(progress.text, sizeof progress.text, "starting");
    progress.is_running = pthread_create(&progress.thread, NULL, show_until_stopped, NULL) == 0;
}

void scalay_progress_say(const char *format, ...)
{
    if (!progress.is_running) return;
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&progress.lock);
    (void)vsnprintf(progress.text, sizeof progress.text, format, arguments);
    pthread_mutex_unlock(&progress.lock);
    va_end(arguments);
}

void scalay_progress_set_left(double fraction, double seconds_left_now)
{
    if (!progress.is_running) return;
    pthread_mutex_lock(&progress.lock);
    if (progress.fraction < 0.0) {
        progress.first = fraction;
        progress.first_at = progress.seconds;
    }
    progress.fraction = fraction;
    progress.left = seconds_left_now;
    progress.left_at = progress.seconds;
    pthread_mutex_unlock(&progress.lock);
}

void scalay_progress_set(double fraction)
{
    scalay_progress_set_left(fraction, -1.0);
}

void scalay_progress_stop(void)
{
    if (!progress.is_running) return;
    pthread_mutex_lock(&progress.lock);
    progress.stop = 1;
    pthread_cond_signal(&progress.stopped);
    pthread_mutex_unlock(&progress.lock);
    pthread_join(progress.thread, NULL);
    progress.is_running = 0;
}
