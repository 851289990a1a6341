#ifndef SCALAY_IO_GNUPLOT_H
#define SCALAY_IO_GNUPLOT_H

/** @file Running gnuplot. */

#include "base/status.h"

/**
 * Runs gnuplot on a script, without a shell and without the user's settings, and waits for it.
 * @param[in] script   its name; starts with '/' or '.'
 * @param[in] picture  what it makes: removed when gnuplot fails
 * @return SCALAY_SUCCESS, SCALAY_ERROR_FILE (gnuplot is missing, or fails: the message has its own words)
 */
scalay_status scalay_gnuplot_run(const char *script, const char *picture);

#endif
