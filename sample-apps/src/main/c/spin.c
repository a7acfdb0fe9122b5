/*
 * A thread that stays where it is for a given CPU time (wall-clock time would say nothing about
 * the samples on a busy machine): what getStackTrace() says of it meanwhile, samples must show.
 */
#include "lab.h"

#include <time.h>

int64_t lab_spin_now(void);
uint64_t lab_spin_outer(int64_t nanos);
uint64_t lab_spin_inner(int64_t nanos);
uint64_t lab_spin_leaf(uint64_t x, long work);

LAB int64_t lab_spin_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

LAB uint64_t lab_spin_leaf(uint64_t x, long work) { return lab_mix_many(x, work); }

LAB uint64_t lab_spin_inner(int64_t nanos) {
  uint64_t x = 1;
  int64_t end = lab_spin_now() + nanos;
  while (lab_spin_now() < end) {
    x = lab_spin_leaf(x, 100000);
  }
  return x;
}

LAB uint64_t lab_spin_outer(int64_t nanos) { return lab_spin_inner(nanos) + 1; }

JNIEXPORT jlong JNICALL Java_stackweave_samples_lab_phase_Spin_spin(JNIEnv *env, jclass self,
                                                                    jlong nanos) {
  (void)env;
  (void)self;
  return (jlong)(lab_spin_outer(nanos) + 1);
}
