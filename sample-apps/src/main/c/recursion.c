/*
 * 120 frames of a good 256 bytes (the caller's depth argument decides): 32 to 40 KiB of stack,
 * under the 48 KiB that still leave room in a 64 KiB copy for the frames above and below.
 */
#include "lab.h"

uint64_t lab_recursion_step(int depth, uint64_t x, long work);
uint64_t lab_recursion_leaf(uint64_t x, long work);

LAB uint64_t lab_recursion_leaf(uint64_t x, long work) { return lab_mix_many(x, work); }

LAB uint64_t lab_recursion_step(int depth, uint64_t x, long work) {
  volatile uint64_t room[28];
  if (depth == 0) {
    return lab_recursion_leaf(x, work);
  }
  room[depth % 28] = x;
  uint64_t y = lab_recursion_step(depth - 1, lab_mix(x), work);
  return y ^ room[depth % 28];
}

JNIEXPORT jlong JNICALL Java_stackweave_samples_lab_phase_Recursion_run(JNIEnv *env, jclass self,
                                                                        jlong seed, jint depth,
                                                                        jint work) {
  (void)env;
  (void)self;
  return (jlong)(lab_recursion_step(depth, (uint64_t)seed, work) + 1);
}
