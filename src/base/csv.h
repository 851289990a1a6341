#ifndef SCALAY_BASE_CSV_H
#define SCALAY_BASE_CSV_H

/**
 * @file
 * CSV files, read field by field: the place of every field is known for messages.
 *
 * A row is a line, its fields are separated by commas; blanks around a field do not count. Lines that start with # are
 * comments. A byte order mark, CRLF line ends, empty lines and a last line without an end are fine. Quotes have no
 * meaning. A table is a CSV file whose first row names its columns.
 *
 * From opening to closing, the calling thread's numbers are C's (base/locale.h).
 */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/decimal.h"
#include "base/locale.h"
#include "base/number.h"

/** A field is at most this long, its NUL included. */
#define SCALAY_CSV_FIELD_SIZE SCALAY_NUMBER_SIZE

/** Room for the place of a field in words. */
#define SCALAY_CSV_PLACE_SIZE 400

/** A column of a table, asked for by name. */
typedef struct {
    const char *name;
    int needed; /* 0: it may be missing */
    int field;  /* out: 0-based; -1: it is not there */
} scalay_csv_column;

/** A text that is being read; the members are for reading. */
typedef struct {
    const char *path;                 /* or another name of the text, for messages */
    int64_t line;                     /* 1-based, of the field at hand */
    int64_t row;                      /* 0-based, of the field at hand; comments and empty lines do not count */
    int field;                        /* 0-based */
    int ends_row;                     /* 1: the field at hand is the last of its row */
    int64_t blank;                    /* the first empty line before the row at hand; 0: none */
    char text[SCALAY_CSV_FIELD_SIZE]; /* the field at hand, NUL-terminated */
    const char *sought;               /* a word: `found` is set by comments that begin with it; NULL: none */
    int found;
    FILE *stream;                    /* NULL: the bytes at hand are all there are */
    char *chunk;                     /* of the stream */
    const char *at;                  /* the bytes at hand */
    const char *stop;                /* their end */
    int error;                       /* errno of a failed read */
    const scalay_csv_column *column; /* of a table; NULL: it is none */
    int columns;
    int fields; /* of the header */
    scalay_locale locale;
} scalay_csv;

/** Opens a file; to be closed with scalay_csv_close(), also on failure. SCALAY_SUCCESS, _FILE or _MEMORY. */
scalay_status scalay_csv_open(const char *path, scalay_csv *csv);

/** Opens a text in memory, which must stay; `name` is for messages. As scalay_csv_open(). */
scalay_status scalay_csv_open_text(const char *name, const char *text, size_t length, scalay_csv *csv);

/** Closes; zeroed is fine. */
void scalay_csv_close(scalay_csv *csv);

/**
 * Goes to the next field, csv->text; *more is 0 when there is none.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_FORMAT (a zero byte, a field that is too long), SCALAY_ERROR_FILE
 */
scalay_status scalay_csv_next(scalay_csv *csv, int *more);

/**
 * Reads the header of a table: the columns in any order, those needed, no others, none twice.
 * @param[in,out] csv     just opened
 * @param[in,out] column  shape [columns]; must live as long as csv
 */
scalay_status scalay_csv_read_header(scalay_csv *csv, int columns, scalay_csv_column *column);

/**
 * Goes to the next field of a table; *which is its column. Every row has as many fields as the header.
 * @return as scalay_csv_next()
 */
scalay_status scalay_csv_next_cell(scalay_csv *csv, int *which, int *more);

/** The place of the field at hand, "path, line 7, field 2 (size)", in place[SCALAY_CSV_PLACE_SIZE]. Returns place. */
const char *scalay_csv_place(const scalay_csv *csv, char *place);

/** Fails: the field at hand "is 'text': remedy". */
scalay_status scalay_csv_refuse(const scalay_csv *csv, const char *remedy);

/** The field at hand as an integer from least on. SCALAY_SUCCESS, or SCALAY_ERROR_FORMAT saying what it should be. */
scalay_status scalay_csv_integer(scalay_csv *csv, int64_t least, int64_t *value);

/** The field at hand as a finite number that is not negative (-0 is 0). As scalay_csv_integer(). */
scalay_status scalay_csv_number(scalay_csv *csv, double *value);

#endif
