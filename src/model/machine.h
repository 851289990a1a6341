#ifndef SCALAY_MODEL_MACHINE_H
#define SCALAY_MODEL_MACHINE_H

/** @file Rates of a machine and of an element type, for all models. */

#include "scalay/model.h"

/** Returns the caller's machine, or the typical one for NULL. */
scalay_machine scalay_machine_or_typical(const scalay_machine *machine);

/** Returns a fingerprint extended by all rates; by one value for NULL. */
uint64_t scalay_machine_fingerprint(uint64_t fingerprint, const scalay_machine *machine);

/** Returns 1 if the rates are finite and at least 0, and each curve is complete or 0. */
int scalay_machine_is_valid(const scalay_machine *machine);

/** Checks type and machine in the name of `function`: SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT. */
scalay_status scalay_machine_check(const scalay_machine *machine, scalay_type type, const char *function);

/** Returns the seconds of a flop of a type over those of a double; 0: a type without arithmetic. */
double scalay_type_flop_weight(scalay_type type);

/** Returns the time of the flops for each byte of an element over that of a double: 1 for real types, 2 for complex
 *  ones. Level 2 reads its matrix, so its time is that of the bytes. A complex update of rank k takes as long as one of
 *  rank 2k of as many bytes of doubles. 0: a type without arithmetic. */
double scalay_type_flops_per_byte(scalay_type type);

/**
 * Returns the seconds per flop of a local dgemm by its smallest extent, at least 1: from the measured curve, linear
 * between its points. Without a curve: seconds_per_flop, and C is read and written once.
 */
double scalay_machine_gemm_rate(const scalay_machine *machine, double extent);

/** Returns the seconds per flop of dgemv on a matrix of so many bytes: from the measured curve, or
 *  seconds_per_flop_vector. */
double scalay_machine_vector_rate(const scalay_machine *machine, double bytes);

/** Returns the seconds per byte of packing a matrix of so many bytes: from the measured curve, or
 *  seconds_per_byte_copied. */
double scalay_machine_copy_rate(const scalay_machine *machine, double bytes);

/**
 * Returns the seconds per byte of reading and writing a matrix in place, by the rate of packing.
 * @param[in] distance  of consecutive columns in memory, in bytes, above 0. If columns compete for the sets of the
 *                      caches, the caches hold half as much
 * @param[in] bytes     of the matrix
 */
double scalay_machine_pass_rate(const scalay_machine *machine, int64_t distance, double bytes);

/** Returns the seconds per element in which the cache lines of a row are copied, in a matrix of so many bytes whose
 *  columns are so far apart: one line, as rows that follow each other share lines, or two if the columns compete for
 *  the sets of the caches. */
double scalay_machine_line_seconds(const scalay_machine *machine, int64_t distance, double size, double bytes);

/**
 * Returns the seconds per element of exchanging two rows: from the measured curve, or as copies of their cache lines.
 * @param[in] distance  of consecutive columns in memory, in bytes, above 0
 * @param[in] size      of an element, in bytes
 * @param[in] bytes     of the matrix
 */
double scalay_machine_swap_rate(const scalay_machine *machine, int64_t distance, double size, double bytes);

/** Flops of a small dgemv in the time of a small call, measured while no other program used the execution units of the
 *  cores. */
#define SCALAY_FLOPS_OF_SMALL_CALL 1730.0

/** Returns the seconds of a small call of the BLAS: seconds_per_call, or what follows from the curve of dgemv. 0:
 * neither is measured. */
double scalay_machine_small_call(const scalay_machine *machine);

/** Returns the seconds in which a call of the library, or the execution of a plan of moves, begins and ends: checks, a
 *  look-up of the plan, and reductions. */
double scalay_machine_call_seconds(const scalay_machine *machine);

/** Returns the start-up of a message of so many bytes on a link with latency `message`. Above MPI's eager limit, sender
 *  and receiver agree first. */
double scalay_machine_start_up(const scalay_machine *machine, double message, double bytes);

/**
 * Returns the bytes of the pieces in which large messages between nodes should be sent; INT64_MAX: whole. Pieces are
 * below MPI's eager limit. They pay if their start-up and the copies of eager messages take little of their time on
 * the link.
 */
int64_t scalay_machine_piece_bytes(const scalay_machine *machine);

/** Returns 1 if moves between nodes take less time with longer messages, of which fewer are pending. */
int scalay_machine_has_long_messages(const scalay_machine *machine);

/** Returns the seconds in which a process begins to read the memory of another process of its node. */
double scalay_machine_reading_start_up(const scalay_machine *machine);

/** Returns the number of processes that run at once, of `active` ones. `active` if processes do not share cores. If
 *  more processes are active than were measured, they have proportionally more cores. */
double scalay_machine_concurrent_processes(const scalay_machine *machine, int64_t active);

/**
 * Returns the seconds of a step of processes that share cores. They wait for each other after the step. The maximum of
 *   - the longest work, at the speed of a process while its neighbours wait;
 *   - all work with all processes active;
 *   - the work of a core that more processes share than another core.
 *
 * If a panel is passed along more processes than run at once, the ring slowdown is added. If each process has its own
 * core, the result is the longest work.
 * @param[in] active   processes that work
 * @param[in] line     processes along which a panel is passed; 1: none
 * @param[in] longest  seconds of the longest work, with all processes active
 * @param[in] sum      of the seconds of all
 */
double scalay_machine_spread(const scalay_machine *machine, int64_t active, int64_t line, double longest, double sum);

#endif
