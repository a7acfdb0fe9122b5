/* Frames whose size is known only at run time: CFA by the frame pointer, in every variant. */
#include "lab.h"

#include <alloca.h>
#include <string.h>

uint64_t lab_alloca_outer(uint64_t x, int bytes, long work);
uint64_t lab_alloca_frame(uint64_t x, int bytes, long work);
uint64_t lab_alloca_leaf(volatile unsigned char *block, int bytes, uint64_t x, long work);

LAB uint64_t lab_alloca_leaf(volatile unsigned char *block, int bytes, uint64_t x, long work) {
  uint64_t y = lab_mix_many(x, work);
  block[y % (uint64_t)bytes] ^= 1;
  return y + block[bytes / 2];
}

LAB uint64_t lab_alloca_frame(uint64_t x, int bytes, long work) {
  unsigned char *block = alloca((size_t)bytes);
  memset(block, (int)(x & 0x7f), (size_t)bytes);
  return lab_alloca_leaf(block, bytes, x, work) + block[0];
}

LAB uint64_t lab_alloca_outer(uint64_t x, int bytes, long work) {
  uint64_t y = x;
  for (int size = bytes; size >= 16; size /= 2) {
    y = lab_alloca_frame(y, size, work);
  }
  return y;
}

JNIEXPORT jlong JNICALL Java_stackweave_samples_lab_phase_Allocas_run(JNIEnv *env, jclass self,
                                                                      jlong seed, jint bytes,
                                                                      jint work) {
  (void)env;
  (void)self;
  return (jlong)(lab_alloca_outer((uint64_t)seed, bytes, work) + 1);
}
