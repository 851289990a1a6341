#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "stencil/stencil_object.h"

/* What one rank works out for itself from the layout alone. Nothing here communicates. */

/* ----------------------------------------------------------------------------------------------------- runs */

static int compare_pieces(const void *left, const void *right)
{
    const scalay_stencil_piece *a = left, *b = right;
    return (a->item > b->item) - (a->item < b->item);
}

static scalay_status find_pieces(scalay_stencil *s, const scalay_layout *layout)
{
    scalay_status status = SCALAY_SUCCESS;
    const int across = scalay_layout_rows(layout) == 1;
    s->pieces = scalay_layout_rectangle_count(layout, s->comm->rank);
    SCALAY_TRY(SCALAY_NEW(s->piece, s->pieces));
    for (int64_t k = 0; k < s->pieces; k++) {
        scalay_rectangle r = {0};
        SCALAY_TRY(scalay_layout_rectangle(layout, s->comm->rank, k, &r));
        s->piece[k] = across ? (scalay_stencil_piece){.item = r.col, .count = r.cols, .stride = r.ld}
                             : (scalay_stencil_piece){.item = r.row, .count = r.rows, .stride = 1};
        s->piece[k].offset = r.offset;
        s->items += s->piece[k].count;
    }
    qsort(s->piece, (size_t)s->pieces, sizeof *s->piece, compare_pieces);
cleanup:
    return status;
}

/* Pieces that follow each other are one run. */
static scalay_status join_pieces(scalay_stencil *s)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(s->run, s->pieces));
    for (int64_t k = 0; k < s->pieces; k++) {
        scalay_stencil_piece *piece = &s->piece[k];
        scalay_stencil_run *last = s->runs > 0 ? &s->run[s->runs - 1] : NULL;
        if (last == NULL || last->item + last->count != piece->item) {
            last = &s->run[s->runs++];
            *last = (scalay_stencil_run){.item = piece->item, .position = s->positions + 1};
            s->positions += 2;
        }
        piece->position = last->position + last->count;
        last->count += piece->count;
        s->positions += piece->count;
    }
cleanup:
    return status;
}

/* Where an item of this rank is in the buffer. */
static int64_t position_of(const scalay_stencil *s, int64_t item)
{
    int64_t low = 0, high = s->runs;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (s->run[middle].item <= item)
            low = middle;
        else
            high = middle;
    }
    return s->run[low].position + item - s->run[low].item;
}

/* ----------------------------------------------------------------------------------------------------- halo */

static int compare_halos(const void *left, const void *right)
{
    const scalay_stencil_halo *a = left, *b = right;
    if (a->partner != b->partner) return a->partner < b->partner ? -1 : 1;
    if (a->item != b->item) return a->item < b->item ? -1 : 1;
    return (a->position > b->position) - (a->position < b->position);
}

/* One end of a run: the item there, and its neighbour beyond with the place that it has in the buffer. */
static void add_end(scalay_stencil *s, int64_t item, int64_t position, int64_t neighbour, int64_t place, int owner)
{
    if (owner == s->comm->rank) {
        s->copy[s->copies++] = (scalay_stencil_copy){position_of(s, neighbour), place};
        return;
    }
    s->send.halo[s->send.halos++] = (scalay_stencil_halo){.partner = owner, .item = item, .position = position};
    s->receive.halo[s->receive.halos++] = (scalay_stencil_halo){.partner = owner, .item = neighbour, .position = place};
}

static int owner_of(const scalay_layout *layout, int64_t item)
{
    return scalay_layout_rows(layout) == 1 ? scalay_layout_owner(layout, 0, item)
                                           : scalay_layout_owner(layout, item, 0);
}

/* What of a run waits for others, and what does not. */
static void divide_run(scalay_stencil *s, const scalay_stencil_run *run, int left_waits, int right_waits)
{
    if (left_waits) s->border[s->border_count++] = (scalay_stencil_stretch){run->position, 1};
    if (right_waits && !(left_waits && run->count == 1))
        s->border[s->border_count++] = (scalay_stencil_stretch){run->position + run->count - 1, 1};
    const int64_t begin = left_waits ? 1 : 0, end = run->count - (right_waits ? 1 : 0);
    if (begin < end) s->inner[s->inner_count++] = (scalay_stencil_stretch){run->position + begin, end - begin};
}

static scalay_status find_ends(scalay_stencil *s, const scalay_layout *layout)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t n = scalay_layout_rows(layout) * scalay_layout_cols(layout), ends = 2 * s->runs;
    SCALAY_TRY(SCALAY_NEW(s->copy, ends));
    SCALAY_TRY(SCALAY_NEW(s->send.halo, ends));
    SCALAY_TRY(SCALAY_NEW(s->receive.halo, ends));
    SCALAY_TRY(SCALAY_NEW(s->border, ends));
    SCALAY_TRY(SCALAY_NEW(s->inner, s->runs));
    for (int64_t r = 0; r < s->runs; r++) {
        const scalay_stencil_run *run = &s->run[r];
        const int64_t last = run->item + run->count - 1, end = run->position + run->count;
        const int64_t before = run->item > 0 ? run->item - 1 : n - 1, after = last + 1 < n ? last + 1 : 0;
        const int left = owner_of(layout, before), right = owner_of(layout, after);
        add_end(s, run->item, run->position, before, run->position - 1, left);
        add_end(s, last, end - 1, after, end, right);
        divide_run(s, run, left != s->comm->rank, right != s->comm->rank);
    }
cleanup:
    return status;
}

/* Slots and messages. An item travels to a partner once, wherever it is needed there: both sides know that. */
static scalay_status number_slots(scalay_stencil_side *side)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(side->message, side->halos));
    qsort(side->halo, (size_t)side->halos, sizeof *side->halo, compare_halos);
    for (int64_t h = 0; h < side->halos; h++) {
        scalay_stencil_halo *halo = &side->halo[h];
        const int same_partner = h > 0 && halo[-1].partner == halo->partner;
        if (!same_partner || halo[-1].item != halo->item) side->slots++;
        halo->slot = side->slots - 1;
        if (!same_partner)
            side->message[side->messages++] = (scalay_stencil_message){.partner = halo->partner, .first = halo->slot};
        scalay_stencil_message *message = &side->message[side->messages - 1];
        message->count = halo->slot - message->first + 1;
    }
cleanup:
    return status;
}

static scalay_status new_elements(const scalay_stencil *s, int64_t count, void **array)
{
    *array = scalay_allocate(count, s->size);
    return *array != NULL ? SCALAY_SUCCESS : scalay_no_memory("scalay_stencil_create", "a buffer", count, s->size);
}

scalay_status scalay_stencil_prepare(scalay_stencil *s, const scalay_layout *layout)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(find_pieces(s, layout));
    SCALAY_TRY(join_pieces(s));
    SCALAY_TRY(find_ends(s, layout));
    SCALAY_TRY(number_slots(&s->send));
    SCALAY_TRY(number_slots(&s->receive));
    SCALAY_TRY(
        scalay_to_int(s->send.messages + s->receive.messages, "scalay_stencil_create", "messages", &s->requests));
    SCALAY_TRY(SCALAY_NEW(s->request, s->requests));
    for (int k = 0; k < s->requests; k++) s->request[k] = MPI_REQUEST_NULL;
    SCALAY_TRY(new_elements(s, s->send.slots, &s->send.buffer));
    SCALAY_TRY(new_elements(s, s->receive.slots, &s->receive.buffer));
    SCALAY_TRY(new_elements(s, s->positions, &s->buffer[0]));
    SCALAY_TRY(new_elements(s, s->positions, &s->buffer[1]));
cleanup:
    return status;
}
