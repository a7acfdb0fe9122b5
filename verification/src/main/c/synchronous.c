/*
 * Compiled with unwind tables that are right at calls only: no row for pushes and pops. Java ->
 * entry -> sync_outer -> sync_leaf. Small functions that push a lot, so that many samples hit the
 * rows that are not there.
 */
#include "lab.h"

LAB static uint64_t sync_leaf(uint64_t a, uint64_t b) {
  uint64_t x = a, y = b;
  __asm__ volatile("" : "+r"(x), "+r"(y) : : "rbx", "rbp", "r12", "r13", "r14", "r15", "memory");
  return x ^ y;
}

LAB static uint64_t sync_outer(uint64_t seed, long rounds) {
  uint64_t x = seed;
  for (long i = 0; i < rounds; i++) {
    x += sync_leaf(x, (uint64_t)i);
  }
  return x;
}

/* More of the kind, for a library has more than two functions. */
#define MORE(n)                                                                                   \
  LAB uint64_t sync_more_##n(uint64_t a);                                                         \
  LAB uint64_t sync_more_##n(uint64_t a) {                                                        \
    uint64_t x = a + n;                                                                           \
    __asm__ volatile("" : "+r"(x) : : "rbx", "r12", "r13", "memory");                             \
    return x;                                                                                     \
  }
MORE(1) MORE(2) MORE(3) MORE(4) MORE(5) MORE(6) MORE(7) MORE(8)

JNIEXPORT jlong JNICALL Java_stackweave_verify_it_TablelessApp_runSynchronous(JNIEnv *env,
                                                                               jclass self,
                                                                               jint rounds) {
  (void)env;
  (void)self;
  return (jlong)sync_outer(1, rounds);
}
