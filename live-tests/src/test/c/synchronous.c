/*
 * Functions with unwind tables that are right at calls only, as some compilers write them: the
 * prologue has its rows, the epilogue has none. Java -> entry -> sync_outer -> a leaf. Small
 * functions that push a lot, so that many samples hit the rows that are not there.
 */
#include "lab.h"

#ifdef __x86_64__
uint64_t sync_leaf(uint64_t a, uint64_t b);
uint64_t sync_tail_leaf(uint64_t a, uint64_t b);
uint64_t sync_split_leaf(uint64_t a, uint64_t b);
uint64_t sync_far_leaf(uint64_t a, uint64_t b);

#define PUSH(register, offset)                                                                    \
  "  push %" register "\n"                                                                        \
  "  .cfi_def_cfa_offset " offset "\n"                                                            \
  "  .cfi_offset %" register ", -" offset "\n"

#define BEGIN(name)                                                                               \
  ".hidden " name "\n.globl " name "\n.type " name ", @function\n" name ":\n"                     \
  "  .cfi_startproc\n"
#define END(name)                                                                                 \
  "  .cfi_endproc\n"                                                                              \
  ".size " name ", . - " name "\n"

#define PUSH_ALL                                                                                  \
  PUSH("rbx", "16") PUSH("rbp", "24") PUSH("r12", "32") PUSH("r13", "40") PUSH("r14", "48")       \
      PUSH("r15", "56") "  mov %rdi, %rax\n  xor %rsi, %rax\n"
#define POP_ALL "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %rbp\n  pop %rbx\n"

#define FUNCTION(name) BEGIN(name) PUSH_ALL POP_ALL "  ret\n" END(name)

/* Ends with a call in tail position. */
#define TAIL_CALL(name, other) BEGIN(name) PUSH_ALL POP_ALL "  jmp " other "\n" END(name)

/* Ends with one of a function of another library. */
#define FAR_CALL(name, other) BEGIN(name) PUSH_ALL POP_ALL "  jmp " other "@plt\n" END(name)

/* Goes on in a part of itself that lies elsewhere, with all that it has pushed. */
#define SPLIT(name, part)                                                                         \
  BEGIN(name) PUSH_ALL "  nop\n  nop\n  nop\n  jmp " part "\n" END(name)                          \
  BEGIN(part) "  .cfi_def_cfa_offset 56\n  .cfi_offset %rbx, -16\n  .cfi_offset %rbp, -24\n"      \
      "  .cfi_offset %r12, -32\n  .cfi_offset %r13, -40\n  .cfi_offset %r14, -48\n"               \
      "  .cfi_offset %r15, -56\n  nop\n  nop\n" POP_ALL "  ret\n" END(part)

/* More than the one that is called, for a library has more than one. */
__asm__(".text\n" FUNCTION("sync_leaf") FUNCTION("sync_more_1") FUNCTION("sync_more_2")
            FUNCTION("sync_more_3") FUNCTION("sync_more_4") FUNCTION("sync_more_5")
            TAIL_CALL("sync_tail_leaf", "sync_more_1") FAR_CALL("sync_far_leaf", "llabs") SPLIT("sync_split_leaf", "sync_part_leaf"));

LAB static uint64_t sync_outer(uint64_t seed, long rounds) {
  uint64_t x = seed;
  for (long i = 0; i < rounds; i++) {
    x += sync_leaf(x, (uint64_t)i);
    x += sync_tail_leaf(x, (uint64_t)i);
    x += sync_split_leaf(x, (uint64_t)i);
    x += sync_far_leaf(x, (uint64_t)i);
  }
  return x;
}

JNIEXPORT jlong JNICALL Java_stackweave_live_tableless_TablelessApp_runSynchronous(JNIEnv *env,
                                                                               jclass self,
                                                                               jint rounds) {
  (void)env;
  (void)self;
  return (jlong)sync_outer(1, rounds);
}
#endif
