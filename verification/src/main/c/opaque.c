/*
 * A library of its own whose constructor takes its CPU time in assembly that nothing describes: it
 * has no unwind information, and moves the stack pointer by a number that only a register has.
 */
#include "lab.h"

#ifdef __x86_64__
void lab_opaque(uint64_t rounds, uint64_t bytes);
void lab_opaque_constructor(void);

__asm__(
    ".text\n"
    ".globl lab_opaque\n"
    ".type lab_opaque, @function\n"
    "lab_opaque:\n"
    "  sub %rsi, %rsp\n"
    "  movq $0, (%rsp)\n"
    "1:\n"
    "  dec %rdi\n"
    "  jnz 1b\n"
    "  add %rsi, %rsp\n"
    "  ret\n"
    ".size lab_opaque, . - lab_opaque\n");

__attribute__((constructor)) LAB void lab_opaque_constructor(void) { lab_opaque(3000000000u, 256); }
#endif
