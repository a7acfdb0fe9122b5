/*
 * A kernel above a buffer that is larger than what perf copies of a stack, as inference runtimes
 * have them: it fills the buffer, computes with it, and changes all of it while it does.
 *
 *   Java -> entry -> kernel_caller_0..3 -> kernel -> kernel_pass_0..3
 *
 * Callers 0 to 2 have frames of the same size, so that their stacks differ in nothing but a return
 * address above the buffer. Which pass runs tells a test who the caller is: a stack with the pass
 * of one and another caller is wrong.
 */
#include "lab.h"

#define BUFFER_WORDS (12 * 1024) /* 96 KiB: more than a copy of 64 KiB */

typedef uint64_t kernel_pass(uint64_t *from, uint64_t *to, uint64_t x, uint64_t y);

kernel_pass kernel_pass_0, kernel_pass_1, kernel_pass_2, kernel_pass_3;
uint64_t kernel(uint64_t x, long passes, kernel_pass *pass);
uint64_t kernel_caller_0(uint64_t x, long passes);
uint64_t kernel_caller_1(uint64_t x, long passes);
uint64_t kernel_caller_2(uint64_t x, long passes);
uint64_t kernel_caller_3(uint64_t x, long passes);

/* All that it computes with is in registers that its callers may want back. */
static inline __attribute__((always_inline)) uint64_t compute(uint64_t *from, uint64_t *to,
                                                              uint64_t x, uint64_t y) {
  uint64_t a = x, b = y, c = x ^ y, d = x + y;
  for (uint64_t *at = from; at < to; at += 4) {
    at[0] = a = lab_mix(a ^ at[0]);
    at[1] = b = lab_mix(b ^ at[1]);
    at[2] = c = lab_mix(c ^ at[2]);
    at[3] = d = lab_mix(d ^ at[3]);
  }
  return a ^ b ^ c ^ d;
}

LAB uint64_t kernel_pass_0(uint64_t *from, uint64_t *to, uint64_t x, uint64_t y) {
  return compute(from, to, x, y);
}

LAB uint64_t kernel_pass_1(uint64_t *from, uint64_t *to, uint64_t x, uint64_t y) {
  return compute(from, to, x, y) + 1;
}

LAB uint64_t kernel_pass_2(uint64_t *from, uint64_t *to, uint64_t x, uint64_t y) {
  return compute(from, to, x, y) + 2;
}

LAB uint64_t kernel_pass_3(uint64_t *from, uint64_t *to, uint64_t x, uint64_t y) {
  return compute(from, to, x, y) + 3;
}

LAB uint64_t kernel(uint64_t x, long passes, kernel_pass *pass) {
  uint64_t buffer[BUFFER_WORDS];
  for (int i = 0; i < BUFFER_WORDS; i++) {
    buffer[i] = x + (uint64_t)i;
  }
  uint64_t y = x;
  for (long i = 0; i < passes; i++) {
    y = pass(buffer, buffer + BUFFER_WORDS, x, y);
  }
  return y;
}

LAB uint64_t kernel_caller_0(uint64_t x, long passes) {
  return kernel(x, passes, kernel_pass_0) + 1;
}

LAB uint64_t kernel_caller_1(uint64_t x, long passes) {
  return kernel(x, passes, kernel_pass_1) + 1;
}

LAB uint64_t kernel_caller_2(uint64_t x, long passes) {
  return kernel(x, passes, kernel_pass_2) + 1;
}

LAB uint64_t kernel_caller_3(uint64_t x, long passes) {
  volatile uint64_t room[20];
  room[x % 20] = x;
  return kernel(x, passes, kernel_pass_3) + room[x % 20];
}

/*
 * Calls for some time: each kernel makes so many passes (some 5 us each), by the callers that
 * `callers` has a hexadecimal digit for, each chosen as often as it stands there.
 */
JNIEXPORT jlong JNICALL Java_stackweave_verify_it_KernelsApp_run(JNIEnv *env, jclass self,
                                                                 jlong seed, jlong callers,
                                                                 jint digits, jint passes,
                                                                 jint calls) {
  static uint64_t (*const all[])(uint64_t, long) = {kernel_caller_0, kernel_caller_1,
                                                    kernel_caller_2, kernel_caller_3};
  (void)env;
  (void)self;
  uint64_t x = (uint64_t)seed, sum = 0;
  for (int i = 0; i < calls; i++) {
    x = lab_mix(x);
    int digit = (int)((x >> 33) % (uint64_t)digits);
    sum += all[(callers >> (4 * digit)) & 3](x, passes);
  }
  return (jlong)(x ^ (sum & 1));
}
