/*
 * A library that is loaded, run for about a millisecond and unloaded, over and over, while it is
 * being sampled. Built several times: the builds differ in the sizes of their frames and in where
 * their functions lie, so that what is right for one of them is wrong for the next one at the same
 * address. All come to the same result.
 */
#include "lab.h"

#ifndef STORM
#define STORM 0
#endif

uint64_t lab_storm_run(uint64_t x, long work);
uint64_t lab_storm_padding(uint64_t x);
uint64_t lab_storm_inner(uint64_t x, long work);
uint64_t lab_storm_leaf(uint64_t x, long work);

/* Moves what follows. */
LAB uint64_t lab_storm_padding(uint64_t x) {
#pragma GCC unroll 64
  for (int i = 0; i < 8 * STORM; i++) {
    x = lab_mix(x) ^ (x >> (i & 31));
  }
  return x;
}

LAB uint64_t lab_storm_leaf(uint64_t x, long work) { return lab_mix_many(x, work); }

LAB uint64_t lab_storm_inner(uint64_t x, long work) {
  volatile uint64_t frame[4 + 24 * STORM];
  frame[3] = x;
  return lab_storm_leaf(frame[3], work) + 1;
}

LAB uint64_t lab_storm_run(uint64_t x, long work) {
  volatile uint64_t frame[2 + 8 * STORM];
  frame[1] = lab_storm_inner(x, work);
  return frame[1] + 1;
}
