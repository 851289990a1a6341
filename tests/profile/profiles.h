#ifndef SCALAY_TESTS_PROFILE_PROFILES_H
#define SCALAY_TESTS_PROFILE_PROFILES_H

/** @file What the tests of profiles share. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "profile/profile.h"
#include "support/serial.h"

/** Fails unless the last message has a word. */
static inline void assert_message(const char *word)
{
    if (strstr(scalay_error_message(), word) == NULL) fail_msg("no '%s' in: %s", word, scalay_error_message());
}

/** Fails unless two profiles are the same bit for bit. */
static inline void assert_same(const scalay_profile *a, const scalay_profile *b)
{
    assert_int_equal(a->groups, b->groups);
    assert_int_equal(a->processors, b->processors);
    assert_int_equal(a->has_energy, b->has_energy);
    assert_int_equal(a->is_modelled, b->is_modelled);
    assert_int_equal(a->energy_digits, b->energy_digits);
    for (int g = 0; g < a->groups; g++) {
        const scalay_profile_group *x = &a->group[g];
        const scalay_profile_group *y = &b->group[g];
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->count, y->count);
        assert_int_equal(x->points, y->points);
        assert_memory_equal(x->size, y->size, (size_t)x->points * sizeof *x->size);
        assert_memory_equal(x->time, y->time, (size_t)x->points * sizeof *x->time);
        if (!a->has_energy) continue;
        assert_memory_equal(x->energy, y->energy, (size_t)x->points * sizeof *x->energy);
        assert_memory_equal(x->energy_units, y->energy_units, (size_t)x->points * sizeof *x->energy_units);
    }
}

#endif
