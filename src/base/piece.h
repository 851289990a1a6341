#ifndef SCALAY_BASE_PIECE_H
#define SCALAY_BASE_PIECE_H

/** @file The pieces in which large messages are sent over slow links. */

/** Bytes of a piece: below the eager limit of Open MPI over TCP, which is 64 KiB with headers. */
enum { SCALAY_PIECE_BYTES = 63 * 1024 };

#endif
