#ifndef SCALAY_MODEL_MACHINE_H
#define SCALAY_MODEL_MACHINE_H

/** @file What every model asks of a machine and of an element type. */

#include "scalay/model.h"

/** The caller's machine, or the typical one for NULL. */
scalay_machine scalay_machine_or_typical(const scalay_machine *machine);

/** 1 when the rates are finite and none is negative. */
int scalay_machine_is_valid(const scalay_machine *machine);

/** SCALAY_SUCCESS, or SCALAY_ERROR_ARGUMENT in the name of `function`: a type without arithmetic, or rates that are not
 * valid. */
scalay_status scalay_machine_check(const scalay_machine *machine, scalay_type type, const char *function);

/** Seconds of one operation on elements of a type in units of one on doubles; 0 when the type has no arithmetic. */
double scalay_type_flop_weight(scalay_type type);

/** The cores that so many processes have together, as far as the machine says that they share them; else one each. More
 * processes than were measured are on as many more cores. */
double scalay_machine_concurrent_processes(const scalay_machine *machine, int64_t active);

/**
 * The seconds that processes which share cores take for work of different lengths, after which they wait for each
 * other: the longest of
 *   - the longest work, at the speed of a process whose neighbours wait;
 *   - all of it with everybody at work; of both, when a panel goes round more processes than run at once, the more of
 *     what lockstep costs the more of them there are, and what it costs to take turns when more work than run at once;
 *   - what a core has that more of them share than another one: three processes on two cores take as long as four.
 * Where each has a core of its own, that is the longest work. More processes than were measured are taken to be on as
 * many more cores.
 * @param[in] machine  rates
 * @param[in] active   processes that work
 * @param[in] line     processes that a panel goes round before they work; 1: none does
 * @param[in] most     seconds of the longest, with all at work
 * @param[in] sum      of the seconds of all
 */
double scalay_machine_spread(const scalay_machine *machine, int64_t active, int64_t line, double most, double sum);

#endif
