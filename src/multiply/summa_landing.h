#ifndef SCALAY_MULTIPLY_SUMMA_LANDING_H
#define SCALAY_MULTIPLY_SUMMA_LANDING_H

/**
 * @file
 * Where messages with panels of a side arrive, and become panels.
 *
 * There are two buffers. A panel that comes as a single block is used as it comes, and the next one is received in the
 * other buffer; one that comes in several blocks, or partly from this rank, is put together in the other buffer, and
 * the next one is received where this one was. A panel that lies in this rank's array is used there.
 *
 * Blocks come in lanes: a lane for each source, or for each source and set of owners.
 */

#include "multiply/summa_object.h"
#include "multiply/summa_sets.h"

typedef struct {
    const scalay_summa_sets *sets; /* NULL: a lane for each source */
    int ranks;
    int64_t lanes;
    char *panel[2];   /* shape [widest that is made * lines] elements */
    int landing;      /* where the panel under way arrives */
    int64_t *count;   /* shape [lanes]: elements in the panel under way */
    int64_t *at;      /* shape [lanes]: where they begin, and go on while they are unpacked */
    int64_t blocks;   /* in it */
    int64_t incoming; /* elements that come from others */
} scalay_summa_landing;

/** The elements that the buffers of a side hold. */
int64_t scalay_summa_landing_elements(const scalay_summa_side *side, const scalay_summa_panels *panels);

/** The elements of a panel of side `which` that a transport packs. */
typedef int64_t (*scalay_summa_packing)(const scalay_summa *summa, int which, const scalay_summa_panels *panels,
                                        int64_t panel);

/** The most that is packed of any panel. */
int64_t scalay_summa_most_packed(scalay_summa_packing packing, const scalay_summa *summa, int which,
                                 const scalay_summa_panels *panels);

/** The bytes of a transport that lands panels and packs two of them at a time. */
int64_t scalay_summa_landing_workspace(scalay_summa_packing packing, const scalay_summa *summa,
                                       const scalay_summa_panels *panels);

/** The MPI type of an element, to be freed; MPI_DATATYPE_NULL on failure. */
scalay_status scalay_summa_element_type(const scalay_summa *summa, MPI_Datatype *element);

/** Makes the buffers; to be released with scalay_summa_landing_free(), also on failure. */
scalay_status scalay_summa_landing_create(const scalay_summa *summa, int which, const scalay_summa_sets *sets,
                                          scalay_summa_landing *landing);

void scalay_summa_landing_free(scalay_summa_landing *landing);

/** Finds out what comes in which lane of a panel, this rank's own lanes included; those do not land. */
void scalay_summa_landing_expect(scalay_summa_landing *landing, const scalay_summa *summa, int which, int64_t panel);

/** Where a lane's elements land. */
char *scalay_summa_landing_place(const scalay_summa_landing *landing, int64_t lane, size_t size);

/** All that was expected has come: the panel. */
scalay_summa_view scalay_summa_landing_take(scalay_summa_landing *landing, scalay_summa *summa, int which,
                                            int64_t panel, const char *array);

#endif
