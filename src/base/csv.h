#ifndef SCALAY_BASE_CSV_H
#define SCALAY_BASE_CSV_H

/**
 * @file
 * CSV reader. It reads one field at a time and knows the location of the field for messages.
 *
 * Format:
 *   - A row is a line. Fields are separated by commas; blanks around a field are ignored. Quotes have no meaning.
 *   - A line that starts with # is a comment.
 *   - A byte order mark, CRLF line ends, empty lines and a last line without an end are allowed.
 *   - A table is a CSV file whose first row names its columns.
 *
 * The calling thread is in the C locale (base/number.h) from open to close.
 */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/number.h"

/** Maximum size of a field, including the NUL. */
#define SCALAY_CSV_FIELD_SIZE SCALAY_NUMBER_SIZE

/** Size of the location of a field as text. */
#define SCALAY_CSV_LOCATION_SIZE 400

/** A column of a table, selected by name. */
typedef struct {
    const char *name;
    int required; /* 0: the column may be missing */
    int field;    /* out: 0-based; -1: the column is missing */
} scalay_csv_column;

/** State of a reader. Callers only read the members. */
typedef struct {
    const char *path;                 /* file name, or another name of the text, for messages */
    int64_t line;                     /* 1-based, of the current field */
    int64_t row;                      /* 0-based, of the current field, without comments and empty lines */
    int field;                        /* 0-based */
    int ends_row;                     /* 1: the current field is the last of its row */
    int64_t blank;                    /* line of the first empty line before the current row; 0: none */
    char text[SCALAY_CSV_FIELD_SIZE]; /* the current field, NUL-terminated */
    const char *sought;               /* word searched at the start of comments; NULL: none */
    int found;                        /* 1: a comment starts with that word */
    FILE *stream;                     /* NULL: the text is in memory */
    char *chunk;                      /* buffer of the stream */
    const char *at;                   /* next byte */
    const char *stop;                 /* end of the available bytes */
    int error;                        /* errno of a failed read */
    const scalay_csv_column *column;  /* of a table; NULL: not a table */
    int columns;
    int fields; /* of the header */
    scalay_locale locale;
} scalay_csv;

/** Opens a file. Close with scalay_csv_close(), also on failure. SCALAY_SUCCESS,
 *  SCALAY_ERROR_FILE, SCALAY_ERROR_MEMORY. */
scalay_status scalay_csv_open(const char *path, scalay_csv *csv);

/** Opens a text in memory, which must stay valid. `name` is for messages. Returns as scalay_csv_open(). */
scalay_status scalay_csv_open_text(const char *name, const char *text, size_t length, scalay_csv *csv);

/** Closes a reader. A zeroed one is allowed. */
void scalay_csv_close(scalay_csv *csv);

/**
 * Reads the next field into csv->text.
 * @param[in,out] csv   the reader
 * @param[out]    more  0: there is no field left
 * @return SCALAY_SUCCESS, SCALAY_ERROR_FORMAT (a zero byte, a field that is too long), SCALAY_ERROR_FILE
 */
scalay_status scalay_csv_next(scalay_csv *csv, int *more);

/**
 * Reads the header of a table. Columns may be in any order; unknown and repeated columns are errors.
 * @param[in,out] csv      a reader that has just been opened
 * @param[in]     columns  number of columns
 * @param[in,out] column   shape [columns]; must stay valid until csv is closed
 */
scalay_status scalay_csv_read_header(scalay_csv *csv, int columns, scalay_csv_column *column);

/**
 * Reads the next field of a table. Every row must have as many fields as the header.
 * @param[in,out] csv    the reader, after scalay_csv_read_header()
 * @param[out]    which  index of the column of the field
 * @param[out]    more   0: there is no field left
 * @return as scalay_csv_next()
 */
scalay_status scalay_csv_next_field(scalay_csv *csv, int *which, int *more);

/** Prints the location of the current field, such as "path, line 7, field 2 (size)", into
 *  location[SCALAY_CSV_LOCATION_SIZE]. Returns location. */
const char *scalay_csv_location(const scalay_csv *csv, char *location);

/** Fails with SCALAY_ERROR_FORMAT: location, text of the current field, remedy. */
scalay_status scalay_csv_fail(const scalay_csv *csv, const char *remedy);

/** Reads the current field as an integer of at least `min`. SCALAY_SUCCESS, SCALAY_ERROR_FORMAT. */
scalay_status scalay_csv_integer(scalay_csv *csv, int64_t min, int64_t *value);

/** Reads the current field as a finite number of at least 0; -0 becomes 0. SCALAY_SUCCESS, SCALAY_ERROR_FORMAT. */
scalay_status scalay_csv_number(scalay_csv *csv, double *value);

#endif
