/*
 * A library that is stripped before it is loaded, as most JNI libraries in jars are: what it exports
 * has a name, its own functions do not.
 *
 * Java -> entry -> stripped_outer -> stripped_middle -> stripped_leaf; and from the entry
 * stripped_assembly, which has neither a symbol nor unwind information, and code in no library.
 */
#include <string.h>
#include <sys/mman.h>

#include "lab.h"

/* In no frame of its own: only debug information tells of it. */
static inline __attribute__((always_inline)) uint64_t stripped_mix(uint64_t sum, long rounds) {
  for (long i = 0; i < rounds; i++) {
    sum ^= (sum << 13) ^ (sum >> 7);
  }
  return sum;
}

/* Several loops and branches: samples hit it at many addresses. */
LAB static uint64_t stripped_leaf(uint64_t x, long work) {
  uint64_t sum = x;
  for (long i = 0; i < work; i++) {
    sum = sum * 6364136223846793005u + 1442695040888963407u;
    if (sum >> 63) {
      sum ^= sum >> 17;
    } else {
      sum += (uint64_t)i;
    }
  }
  return stripped_mix(sum, work / 2);
}

/* Calls from three places, so that it has as many return addresses. */
LAB static uint64_t stripped_middle(uint64_t x, long work) {
  uint64_t a = stripped_leaf(x, work);
  uint64_t b = stripped_leaf(a + 1, work / 2);
  return b ^ stripped_leaf(a ^ b, work / 2);
}

LAB static uint64_t stripped_outer(uint64_t x, long work) {
  uint64_t a = stripped_middle(x, work);
  return a * 3 + stripped_middle(a + 1, work);
}

#ifdef __x86_64__
__attribute__((visibility("hidden"))) uint64_t stripped_assembly(uint64_t rounds);

__asm__(
    ".text\n"
    ".hidden stripped_assembly\n"
    ".globl stripped_assembly\n"
    ".type stripped_assembly, @function\n"
    "stripped_assembly:\n"
    "  xor %eax, %eax\n"
    "1:\n"
    "  add %rdi, %rax\n"
    "  rol $7, %rax\n"
    "  dec %rdi\n"
    "  jnz 1b\n"
    "  ret\n"
    ".size stripped_assembly, . - stripped_assembly\n");
#else
static uint64_t stripped_assembly(uint64_t rounds) { return rounds; }
#endif

#ifdef __x86_64__
/* A loop in memory of its own, as another runtime's compiler writes it: dec %rdi; jnz; ret. */
static uint64_t (*stripped_generated(void))(uint64_t rounds) {
  static const unsigned char loop[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0x31, 0xc0, 0xc3};
  void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (code == MAP_FAILED) {
    return stripped_assembly;
  }
  memcpy(code, loop, sizeof loop);
  mprotect(code, 4096, PROT_READ | PROT_EXEC);
  return (uint64_t(*)(uint64_t))code;
}
#else
static uint64_t (*stripped_generated(void))(uint64_t) { return stripped_assembly; }
#endif

JNIEXPORT jlong JNICALL Java_stackweave_live_stacks_StrippedApp_run(JNIEnv *env, jclass self,
                                                                   jlong seed, jint work) {
  (void)env;
  (void)self;
  static uint64_t (*generated)(uint64_t rounds);
  if (!generated) {
    generated = stripped_generated();
  }
  return (jlong)(stripped_outer((uint64_t)seed, work) + stripped_assembly((uint64_t)work) +
                 generated((uint64_t)work));
}
