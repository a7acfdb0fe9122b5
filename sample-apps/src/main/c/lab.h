/*
 * What all the lab's files share. Every function of the lab stands in a stack under its own name:
 * never inlined, cloned or specialised (noipa), never left by a tail call (the build's
 * -fno-optimize-sibling-calls). A test that knows who calls whom can then demand the exact chain.
 *
 * All functions but the JNI entry points are exported on purpose: their names are in .dynsym, and
 * calls between them go through the PLT as they do in most libraries.
 */
#ifndef LAB_H
#define LAB_H

#include <jni.h>
#include <stdint.h>

#define LAB __attribute__((noipa))

/* One step of a 64-bit LCG (Knuth's MMIX constants): cheap, and no compiler shortens a loop of it. */
static inline uint64_t lab_mix(uint64_t x) {
  return x * 6364136223846793005u + 1442695040888963407u;
}

/* `count` dependent steps: the CPU time of the lab. About 1.3 ns a step. */
static inline uint64_t lab_mix_many(uint64_t x, long count) {
  for (long i = 0; i < count; i++) {
    x = lab_mix(x) ^ (x >> 29);
  }
  return x;
}

#endif
