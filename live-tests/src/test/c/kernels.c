/*
 * Kernels above a buffer that is larger than what perf copies of a stack, as inference runtimes
 * have them: they fill the buffer, compute with it, and change all of it while they do.
 *
 *   Java -> entry -> kernel_caller_0..7 -> kernel_96, kernel_256, kernel_1000 -> kernel_pass_0..7
 *
 * Callers 0 to 6 have frames of the same size, so that their stacks differ in nothing but a return
 * address above the buffer. Which pass runs tells a test who the caller is: a stack with the pass
 * of one and another caller is wrong.
 */
#include "lab.h"

typedef uint64_t kernel_pass(uint64_t *from, uint64_t *to, uint64_t x, uint64_t y);
typedef uint64_t kernel(uint64_t x, long passes, kernel_pass *pass);
typedef uint64_t kernel_caller(uint64_t x, long passes, kernel *kernel);

/* A pass is over so much of the buffer, some 5 us. */
#define PASS_WORDS (12 * 1024)

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

#define KERNEL(KIB)                                                                  \
  kernel kernel_##KIB;                                                               \
  LAB uint64_t kernel_##KIB(uint64_t x, long passes, kernel_pass *pass) {            \
    uint64_t buffer[KIB * 128];                                                      \
    for (int i = 0; i < KIB * 128; i++) {                                            \
      buffer[i] = x + (uint64_t)i;                                                   \
    }                                                                                \
    uint64_t y = x;                                                                  \
    for (long i = 0; i < passes; i++) {                                              \
      long from = i * 1024 % (KIB * 128 - PASS_WORDS + 1);                           \
      y = pass(buffer + from, buffer + from + PASS_WORDS, x, y);                     \
    }                                                                                \
    return y;                                                                        \
  }

KERNEL(96)
KERNEL(256)
KERNEL(1000)

#define PASS(N)                                                                      \
  kernel_pass kernel_pass_##N;                                                       \
  LAB uint64_t kernel_pass_##N(uint64_t *from, uint64_t *to, uint64_t x, uint64_t y) { \
    return compute(from, to, x, y) + N;                                              \
  }

#define CALLER(N)                                                                    \
  PASS(N)                                                                            \
  kernel_caller kernel_caller_##N;                                                   \
  LAB uint64_t kernel_caller_##N(uint64_t x, long passes, kernel *kernel) {          \
    return kernel(x, passes, kernel_pass_##N) + 1;                                   \
  }

CALLER(0)
CALLER(1)
CALLER(2)
CALLER(3)
CALLER(4)
CALLER(5)
CALLER(6)
PASS(7)

kernel_caller kernel_caller_7;
LAB uint64_t kernel_caller_7(uint64_t x, long passes, kernel *kernel) {
  volatile uint64_t room[20];
  room[x % 20] = x;
  return kernel(x, passes, kernel_pass_7) + room[x % 20];
}

/*
 * Calls for some time: each kernel makes so many passes (some 5 us each), by the callers that
 * `callers` has a hexadecimal digit for, each chosen as often as it stands there.
 */
JNIEXPORT jlong JNICALL Java_stackweave_live_deep_KernelsApp_run(JNIEnv *env, jclass self,
                                                                 jlong seed, jlong callers,
                                                                 jint digits, jint kib, jint passes,
                                                                 jint calls) {
  static kernel_caller *const all[] = {kernel_caller_0, kernel_caller_1, kernel_caller_2,
                                       kernel_caller_3, kernel_caller_4, kernel_caller_5,
                                       kernel_caller_6, kernel_caller_7};
  (void)env;
  (void)self;
  kernel *large = kib == 96 ? kernel_96 : kib == 256 ? kernel_256 : kernel_1000;
  uint64_t x = (uint64_t)seed, sum = 0;
  for (int i = 0; i < calls; i++) {
    x = lab_mix(x);
    int digit = (int)((x >> 33) % (uint64_t)digits);
    sum += all[(callers >> (4 * digit)) & 7](x, passes, large);
  }
  return (jlong)(x ^ (sum & 1));
}
