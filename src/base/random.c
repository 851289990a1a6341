/* splitmix64 (Steele, Lea, Flood 2014): a counter and a mixing function. Time: O(1) per number. */

#include "base/random.h"

scalay_random scalay_random_seed(uint64_t seed)
{
    return (scalay_random){seed};
}

uint64_t scalay_random_bits(scalay_random *random)
{
    uint64_t z = (random->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int64_t scalay_random_below(scalay_random *random, int64_t bound)
{
    /* Rejection makes all remainders equally likely. */
    uint64_t n = (uint64_t)bound;
    uint64_t limit = UINT64_MAX - UINT64_MAX % n;
    uint64_t bits;
    do bits = scalay_random_bits(random);
    while (bits >= limit);
    return (int64_t)(bits % n);
}

double scalay_random_unit(scalay_random *random)
{
    return (double)(scalay_random_bits(random) >> 11) * 0x1.0p-53;
}
