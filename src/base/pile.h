#ifndef SCALAY_BASE_PILE_H
#define SCALAY_BASE_PILE_H

/**
 * @file
 * A binary heap of numbered members. Whoever has it says which of two comes out first, and is told where each one is:
 * by functions that the compiler sees, so that they are no calls.
 */

#include <stdint.h>

/** The members; the array is not owned and has room for all. */
typedef struct {
    int64_t *member;
    int64_t count;
} scalay_pile;

/** 1: the first of two members of somebody comes out before the second. */
typedef int (*scalay_pile_order)(const void *owner, int64_t first, int64_t second);

/** A member of somebody is at a place from now on. */
typedef void (*scalay_pile_note)(void *owner, int64_t member, int64_t place);

/** Moves a member up from a place, which may be the one behind the last, to where it belongs. */
static inline void scalay_pile_raise(scalay_pile *pile, int64_t place, int64_t member, void *owner,
                                     scalay_pile_order comes_first, scalay_pile_note note)
{
    for (; place > 0; place = (place - 1) / 2) {
        const int64_t parent = pile->member[(place - 1) / 2];
        if (!comes_first(owner, member, parent)) break;
        pile->member[place] = parent;
        note(owner, parent, place);
    }
    pile->member[place] = member;
    note(owner, member, place);
}

/** Takes out the member that comes first; there is one. */
static inline int64_t scalay_pile_take(scalay_pile *pile, void *owner, scalay_pile_order comes_first,
                                       scalay_pile_note note)
{
    const int64_t top = pile->member[0];
    const int64_t sunk = pile->member[--pile->count];
    int64_t place = 0;
    if (pile->count == 0) return top;
    for (int64_t child = 1; child < pile->count; child = 2 * place + 1) {
        if (child + 1 < pile->count && comes_first(owner, pile->member[child + 1], pile->member[child])) child++;
        if (!comes_first(owner, pile->member[child], sunk)) break;
        pile->member[place] = pile->member[child];
        note(owner, pile->member[place], place);
        place = child;
    }
    pile->member[place] = sunk;
    note(owner, sunk, place);
    return top;
}

#endif
