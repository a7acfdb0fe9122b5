/*
 * A library of its own whose constructor takes its CPU time in assembly that nothing describes: it
 * has no unwind information, runs on a stack of its own, on which no caller is, and keeps the
 * address of the other one encoded.
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
    "  mov %rsp, %r8\n"
    "  xor %rsi, %r8\n"
    "  lea lab_opaque_stack(%rip), %rsp\n"
    "1:\n"
    "  dec %rdi\n"
    "  jnz 1b\n"
    "  xor %rsi, %r8\n"
    "  mov %r8, %rsp\n"
    "  ret\n"
    ".size lab_opaque, . - lab_opaque\n"
    ".local lab_opaque_stack\n"
    ".comm lab_opaque_stack, 131072, 64\n");

__attribute__((constructor)) LAB void lab_opaque_constructor(void) { lab_opaque(3000000000u, 256); }
#endif
