/*
 * Native code without unwind tables, as JNI libraries with hand-written assembly have it, and code
 * that the library generates. Each chain has one true order of callers:
 *
 *   Java -> entry -> bare_outer -> bare_middle -> bare_leaf     no frame pointers
 *   Java -> entry -> framed_outer -> keeps -> framed_leaf       frame pointers, but for keeps
 *   Java -> entry -> generated -> bare_leaf                     generated, in memory of no file
 *   Java -> entry -> generated -> framed_leaf                   the same without a frame pointer
 *   Java -> entry -> large_outer -> large_leaf                  one row for all behind the prologue
 *   Java -> entry -> lying_outer -> lying_leaf                  a row that leads to a number
 *   Java -> entry -> two_ways_outer -> two_ways_leaf            rows that go on behind a return
 *                                        -> bare_leaf
 */
#include <string.h>
#include <sys/mman.h>

#include "lab.h"

#ifdef __x86_64__
uint64_t bare_outer(uint64_t rounds);
uint64_t framed_outer(uint64_t rounds);
uint64_t bare_leaf(uint64_t rounds);
uint64_t framed_leaf(uint64_t rounds);
uint64_t large_leaf(uint64_t seed);
uint64_t lying_leaf(uint64_t rounds);
uint64_t two_ways_leaf(uint64_t rounds);

__asm__(
    ".text\n"
    ".hidden bare_outer\n.globl bare_outer\n.type bare_outer, @function\n"
    "bare_outer:\n"
    "  push %rbx\n"
    "  push %r12\n"
    "  sub $152, %rsp\n"
    "  mov %rdi, %r12\n"
    "  mov $3, %ebx\n"
    "1:\n"
    "  mov %r12, %rdi\n"
    "  call bare_middle\n"
    ".Lsite:\n"
    "  dec %ebx\n"
    "  jnz 1b\n"
    "  add $152, %rsp\n"
    "  pop %r12\n"
    "  pop %rbx\n"
    "  ret\n"
    ".size bare_outer, . - bare_outer\n"

    ".hidden bare_middle\n.globl bare_middle\n.type bare_middle, @function\n"
    "bare_middle:\n"
    "  mov %rsp, %rax\n"
    "  push %rbp\n"
    "  push %rbx\n"
    "  sub $104, %rsp\n"
    "  and $-64, %rsp\n"
    "  mov %rax, 88(%rsp)\n"
    "  mov %rdi, %rbx\n"
    "  xor %ebp, %ebp\n"
    "  call bare_leaf\n"
    "  mov %rbx, %rdi\n"
    "  call bare_leaf\n"
    "  mov 88(%rsp), %rsi\n"
    "  mov -16(%rsi), %rbx\n"
    "  mov -8(%rsi), %rbp\n"
    "  mov %rsi, %rsp\n"
    "  ret\n"
    ".size bare_middle, . - bare_middle\n"

    ".hidden bare_leaf\n.globl bare_leaf\n.type bare_leaf, @function\n"
    "bare_leaf:\n"
    "  push %r14\n"
    "  push %rbp\n"
    "  sub $40, %rsp\n"
    "  xor %eax, %eax\n"
    "  mov $7, %r14d\n"
    "1:\n"
    "  add %rdi, %rax\n"
    "  rol $7, %rax\n"
    "  mov %rax, %rbp\n"
    "  test $1, %al\n"
    "  jz 2f\n"
    "  xor %r14, %rax\n"
    "2:\n"
    "  dec %rdi\n"
    "  jnz 1b\n"
    "  add $40, %rsp\n"
    "  pop %rbp\n"
    "  pop %r14\n"
    "  ret\n"
    ".size bare_leaf, . - bare_leaf\n"

    ".hidden framed_outer\n.globl framed_outer\n.type framed_outer, @function\n"
    "framed_outer:\n"
    "  push %rbp\n"
    "  mov %rsp, %rbp\n"
    "  sub $64, %rsp\n"
    "  call keeps\n"
    "  leave\n"
    "  ret\n"
    ".size framed_outer, . - framed_outer\n"

    /* Leaves its caller's frame pointer alone: by that, the caller would be skipped. */
    ".hidden keeps\n.globl keeps\n.type keeps, @function\n"
    "keeps:\n"
    "  sub $24, %rsp\n"
    "  mov %rdi, 8(%rsp)\n"
    "  call framed_leaf\n"
    "  mov 8(%rsp), %rdi\n"
    "  add $24, %rsp\n"
    "  ret\n"
    ".size keeps, . - keeps\n"

    ".hidden framed_leaf\n.globl framed_leaf\n.type framed_leaf, @function\n"
    "framed_leaf:\n"
    "  push %rbp\n"
    "  mov %rsp, %rbp\n"
    "  xor %eax, %eax\n"
    "1:\n"
    "  add %rdi, %rax\n"
    "  rol $9, %rax\n"
    "  dec %rdi\n"
    "  jnz 1b\n"
    "  pop %rbp\n"
    "  ret\n"
    ".size framed_leaf, . - framed_leaf\n"

    /* As interpreters in assembly have it: large, and left in its midst. */
    ".hidden large_leaf\n.globl large_leaf\n.type large_leaf, @function\n"
    "large_leaf:\n"
    "  .cfi_startproc\n"
    "  push %rbx\n"
    "  .cfi_def_cfa_offset 16\n"
    "  push %rbp\n"
    "  .cfi_def_cfa_offset 24\n"
    "  push %r12\n"
    "  .cfi_def_cfa_offset 32\n"
    "  push %r13\n"
    "  .cfi_def_cfa_offset 40\n"
    "  mov %rdi, %rax\n"
    "  rol $9, %rax\n"
    "  pop %r13\n"
    "  pop %r12\n"
    "  pop %rbp\n"
    "  pop %rbx\n"
    "  ret\n"
    "  .skip 20000, 0x90\n"
    "  .cfi_endproc\n"
    ".size large_leaf, . - large_leaf\n"

    /* Nothing is on the stack but the return address. */
    ".hidden lying_leaf\n.globl lying_leaf\n.type lying_leaf, @function\n"
    "lying_leaf:\n"
    "  .cfi_startproc\n"
    "  .cfi_def_cfa_offset 72\n"
    "  xor %eax, %eax\n"
    "  jmp 2f\n"
    "1:\n"
    "  ret\n"
    "2:\n"
    "  add %rdi, %rax\n"
    "  rol $9, %rax\n"
    "  dec %rdi\n"
    "  jnz 2b\n"
    "  jmp 1b\n"
    "  .cfi_endproc\n"
    ".size lying_leaf, . - lying_leaf\n"

    /* On its second way out, where the rows go on from the first, they lead to a call long past. */
    ".hidden two_ways_leaf\n.globl two_ways_leaf\n.type two_ways_leaf, @function\n"
    "two_ways_leaf:\n"
    "  .cfi_startproc\n"
    "  lea .Lsite(%rip), %rsi\n"
    "  sub $136, %rsp\n"
    "  .cfi_adjust_cfa_offset 136\n"
    "  push %rsi\n"
    "  .cfi_adjust_cfa_offset 8\n"
    "  mov %rsi, 16(%rsp)\n"
    "  mov %rdi, 24(%rsp)\n"
    "  xor %eax, %eax\n"
    "  test $1, %dil\n"
    "  jnz 2f\n"
    "1:\n"
    "  add %rdi, %rax\n"
    "  dec %rdi\n"
    "  jnz 1b\n"
    "  pop %rsi\n"
    "  .cfi_adjust_cfa_offset -8\n"
    "  add $136, %rsp\n"
    "  .cfi_adjust_cfa_offset -136\n"
    "  ret\n"
    "2:\n"
    "  add %rdi, %rax\n"
    "  dec %rdi\n"
    "  jnz 2b\n"
    "  mov 24(%rsp), %rdi\n"
    "  call bare_leaf\n"
    "  pop %rsi\n"
    "  .cfi_adjust_cfa_offset -8\n"
    "  add $136, %rsp\n"
    "  .cfi_adjust_cfa_offset -136\n"
    "  ret\n"
    "  ud2\n"
    "  .cfi_endproc\n"
    ".size two_ways_leaf, . - two_ways_leaf\n");

LAB static uint64_t two_ways_outer(uint64_t rounds) {
  return two_ways_leaf(2 * rounds) + two_ways_leaf(2 * rounds + 1);
}

LAB static uint64_t lying_outer(uint64_t rounds) {
  volatile uint64_t numbers[32];
  for (int i = 0; i < 32; i++) {
    numbers[i] = (uint64_t)i;
  }
  return lying_leaf(rounds + numbers[0]) + numbers[1];
}

LAB static uint64_t large_outer(uint64_t rounds) {
  uint64_t x = rounds;
  for (uint64_t i = 0; i < rounds; i++) {
    x += large_leaf(x);
  }
  return x;
}

/* push rbp; mov rbp, rsp; sub rsp, 32; mov rax, imm64; call rax; leave; ret */
static const unsigned char with_fp[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x20,
                                        0x48, 0xb8, 0,    0,    0,    0,    0,    0,
                                        0,    0,    0xff, 0xd0, 0xc9, 0xc3};

/* sub rsp, 72; mov rax, imm64; call rax; add rsp, 72; ret */
static const unsigned char without_fp[] = {0x48, 0x83, 0xec, 0x48, 0x48, 0xb8, 0,    0,
                                           0,    0,    0,    0,    0,    0,    0xff, 0xd0,
                                           0x48, 0x83, 0xc4, 0x48, 0xc3};

static uint64_t (*generate(const unsigned char *frame, size_t size, size_t number,
                           uint64_t (*callee)(uint64_t)))(uint64_t rounds) {
  unsigned char *code =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (code == MAP_FAILED) {
    return callee;
  }
  memcpy(code, frame, size);
  memcpy(code + number, &callee, sizeof callee);
  mprotect(code, 4096, PROT_READ | PROT_EXEC);
  return (uint64_t(*)(uint64_t))code;
}

JNIEXPORT jlong JNICALL Java_stackweave_live_tableless_TablelessApp_run(JNIEnv *env, jclass self,
                                                                    jint rounds) {
  (void)env;
  (void)self;
  static uint64_t (*generated)(uint64_t rounds);
  static uint64_t (*frameless)(uint64_t rounds);
  if (!generated) {
    generated = generate(with_fp, sizeof with_fp, 10, bare_leaf);
    frameless = generate(without_fp, sizeof without_fp, 6, framed_leaf);
  }
  return (jlong)(bare_outer((uint64_t)rounds) + framed_outer(6 * (uint64_t)rounds) +
                 generated(3 * (uint64_t)rounds) + frameless(3 * (uint64_t)rounds) +
                 large_outer((uint64_t)rounds) +
                 lying_outer(6 * (uint64_t)rounds) + two_ways_outer(3 * (uint64_t)rounds));
}
#endif
