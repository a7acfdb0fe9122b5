/* Leaves of a few instructions in a hot loop: most samples hit a prologue, a body of one line, or a ret. */
#include "lab.h"

uint64_t lab_leaves_loop(uint64_t x, long rounds);
uint64_t lab_tiny_add(uint64_t a, uint64_t b);
uint64_t lab_tiny_rotate(uint64_t a, int by);
uint64_t lab_tiny_pushes(uint64_t a, uint64_t b);

LAB uint64_t lab_tiny_add(uint64_t a, uint64_t b) { return a + b; }

LAB uint64_t lab_tiny_rotate(uint64_t a, int by) {
  by &= 63;
  return by == 0 ? a : (a << by) | (a >> (64 - by));
}

/* Not quite a leaf: pushes and pops around one call. */
LAB uint64_t lab_tiny_pushes(uint64_t a, uint64_t b) { return lab_tiny_add(a, 1) ^ b; }

LAB uint64_t lab_leaves_loop(uint64_t x, long rounds) {
  for (long i = 0; i < rounds; i++) {
    x = lab_tiny_add(x, (uint64_t)i);
    x = lab_tiny_rotate(x, (int)(x & 31));
    x = lab_tiny_pushes(x, (uint64_t)i);
  }
  return x;
}

JNIEXPORT jlong JNICALL Java_stackweave_samples_lab_phase_Leaves_run(JNIEnv *env, jclass self,
                                                                     jlong seed, jint rounds) {
  (void)env;
  (void)self;
  return (jlong)(lab_leaves_loop((uint64_t)seed, rounds) + 1);
}
