#ifndef SCALAY_MEASURE_PROFILER_FILE_H
#define SCALAY_MEASURE_PROFILER_FILE_H

/** @file Records as text, and the files that hold them. */

#include "base/text.h"
#include "measure/profiler_record.h"

/** The whole text of a record: facts, points, and the rows of its groups. */
scalay_status scalay_record_print(const scalay_profile_record *record, scalay_string *lines);

/** Writes a text so that the file has all of it, on the disk, or stays as it was. */
scalay_status scalay_record_write(const char *path, const scalay_string *lines);

/** SCALAY_SUCCESS when a file can be written; nothing is changed. */
scalay_status scalay_record_check_path(const char *path);

/** Reads the text of a record; `name` is for messages. */
scalay_status scalay_record_parse(const char *name, const char *text, int64_t length, scalay_profile_record **record);

/** Reads a file; *record is NULL when there is none. */
scalay_status scalay_record_load(const char *path, scalay_profile_record **record);

#endif
