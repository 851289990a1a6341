#ifndef SCALAY_EXPORT_H
#define SCALAY_EXPORT_H

/**
 * @file
 * Marks what the shared library exports; the library is compiled with everything else hidden.
 */

/** In front of what is exported. */
#if defined(__GNUC__)
#define SCALAY_API __attribute__((visibility("default")))
#else
#define SCALAY_API
#endif

#endif
