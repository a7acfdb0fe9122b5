/*
 * The signal handler of the timer engine, AArch64 (ARMv8.0, little-endian).
 *
 *   void handler(int signal, siginfo_t *info, ucontext_t *context)
 *                w0          x1               x2
 *
 * It does what handler-x86_64.S does, step by step; the laws stand there. What differs is the
 * memory order, which has to be asked for, and the law of exclusive pairs: no other access to
 * memory between LDAXR and STLXR.
 */
    .include "layout.inc"

    .equ UCONTEXT_REGISTERS, 184    /* x0..x30 sp pc */
    .equ UCONTEXT_SP,        432
    .equ REGISTERS,           33
    .equ RECORD_STACK,       304    /* RECORD_REGISTERS + 8 * REGISTERS */

    /* Adds an immediate to the word at an address, in order with all that is around it. */
    .macro  atomic_add address, value
9:  ldaxr   x14, [\address]
    add     x14, x14, \value
    stlxr   w15, x14, [\address]
    cbnz    w15, 9b
    .endm

    .text
    .globl handler
handler:
    bti     c
    ldr     x9, process
    add     x10, x9, #PROCESS_IN_FLIGHT
    atomic_add x10, #1
    dmb     ish                         /* counted before ENABLED is read */

    /* Ours: a timer's signal whose value is the address of a thread block in use. */
    ldr     w11, [x1, #SIGINFO_CODE]
    cmp     w11, #SI_TIMER
    b.ne    foreign
    ldr     x3, [x1, #SIGINFO_VALUE]
    ldr     x11, [x9, #PROCESS_BLOCKS]
    ldr     x12, [x9, #PROCESS_BLOCKS_BYTES]
    sub     x11, x3, x11
    cmp     x11, x12
    b.hs    foreign
    tst     x11, #(BLOCK_BYTES - 1)
    b.ne    foreign
    ldr     x11, [x3, #BLOCK_MAGIC]
    ldr     x12, [x9, #PROCESS_MAGIC]
    cmp     x11, x12
    b.ne    foreign
    ldr     x11, [x9, #PROCESS_ENABLED]
    cbz     x11, leave

    stp     x29, x30, [sp, #-80]!
    mov     x29, sp
    stp     x19, x20, [sp, #16]
    stp     x21, x22, [sp, #32]
    stp     x23, x24, [sp, #48]
    str     x25, [sp, #64]
    mov     x19, x9                     /* x19: process block */
    mov     x20, x3                     /* x20: thread block */
    mov     x21, x2                     /* x21: ucontext */
    mov     x22, x1                     /* x22: siginfo */

    /* x23: bytes of the stack. The end is published last, so it is read first. */
    mov     x23, #0
    ldr     x4, [x21, #UCONTEXT_SP]
    add     x5, x20, #BLOCK_STACK_END
    ldar    x5, [x5]
    cmp     x4, x5
    b.hs    1f
    ldr     x6, [x20, #BLOCK_STACK_START]
    cmp     x4, x6
    b.lo    1f
    sub     x5, x5, x4
    ldr     x23, [x19, #PROCESS_STACK_LIMIT]
    cmp     x5, x23
    csel    x23, x5, x23, lo
    and     x23, x23, #-16
1:
    /* x4: bytes of the record; x0: its position, once reserved; x6: the highest head there may be. */
    add     x4, x23, #(RECORD_STACK + UNIT - 1)
    and     x4, x4, #-UNIT
    add     x5, x19, #PROCESS_TAIL
    ldar    x5, [x5]                    /* what the reader has done before is done */
    ldr     x6, [x19, #PROCESS_RING_BYTES]
    add     x6, x5, x6
    add     x10, x19, #PROCESS_HEAD
    mov     w7, #ATTEMPTS
2:
    ldaxr   x0, [x10]
    add     x2, x0, x4
    cmp     x2, x6
    b.gt    full
    stlxr   w8, x2, [x10]
    cbz     w8, 3f
    subs    w7, w7, #1
    b.ne    2b
full:
    clrex
    add     x10, x19, #PROCESS_DROPPED
    atomic_add x10, #1
    ldrsw   x11, [x22, #SIGINFO_OVERRUN]
    add     x11, x11, #1
    add     x10, x19, #PROCESS_DROPPED_EXPIRIES
    atomic_add x10, x11
    b       done
3:
    ldr     x11, [x19, #PROCESS_RING_BYTES]
    sub     x11, x11, #1
    and     x11, x11, x0
    ldr     x24, [x19, #PROCESS_RING]
    add     x24, x24, x11               /* x24: the record */
    orr     x25, x4, x0, lsl #(32 - UNIT_SHIFT)   /* x25: the commit word, for later */

    stur    xzr, [x24, #RECORD_TIME]
    stur    xzr, [x24, #(RECORD_TIME + 8)]
    ldr     x8, [x19, #PROCESS_CLOCK]
    cbz     x8, 4f
    mov     w0, #CLOCK_MONOTONIC
    add     x1, x24, #RECORD_TIME
    blr     x8
4:
    ldr     x11, [x20, #BLOCK_IDENTITY]
    str     x11, [x24, #RECORD_IDENTITY]
    ldr     w11, [x22, #SIGINFO_OVERRUN]
    str     w11, [x24, #RECORD_OVERRUN]
    str     w23, [x24, #RECORD_STACK_BYTES]

    /* The registers, and right behind them the stack. */
    add     x0, x21, #UCONTEXT_REGISTERS
    add     x1, x24, #RECORD_REGISTERS
    mov     w2, #REGISTERS
5:
    ldr     x11, [x0], #8
    str     x11, [x1], #8
    subs    w2, w2, #1
    b.ne    5b
    ldr     x0, [x21, #UCONTEXT_SP]
    ands    x2, x23, #-64
    b.eq    7f
6:
    ldp     x3, x4, [x0], #64
    ldp     x5, x6, [x0, #-48]
    ldp     x7, x8, [x0, #-32]
    ldp     x11, x12, [x0, #-16]
    stp     x3, x4, [x1], #64
    stp     x5, x6, [x1, #-48]
    stp     x7, x8, [x1, #-32]
    stp     x11, x12, [x1, #-16]
    subs    x2, x2, #64
    b.ne    6b
7:
    ands    x2, x23, #48
    b.eq    11f
10:
    ldp     x3, x4, [x0], #16
    stp     x3, x4, [x1], #16
    subs    x2, x2, #16
    b.ne    10b
11:
    stlr    x25, [x24]                  /* RECORD_COMMIT: now the record is whole */
done:
    ldr     x25, [sp, #64]
    ldp     x23, x24, [sp, #48]
    ldp     x21, x22, [sp, #32]
    ldp     x19, x20, [sp, #16]
    ldp     x29, x30, [sp], #80
leave:
    ldr     x9, process
    add     x10, x9, #PROCESS_IN_FLIGHT
    atomic_add x10, #-1
    ret

    /* Not ours: on to the handler before us, with all arguments as they came. */
foreign:
    add     x10, x9, #PROCESS_FOREIGN
    atomic_add x10, #1
    add     x10, x9, #PROCESS_IN_FLIGHT
    atomic_add x10, #-1
    ldr     x16, [x9, #PROCESS_OLD_HANDLER]
    cbz     x16, ignore
    br      x16                         /* by x16, which may enter at a `bti c` */
ignore:
    ret

    .balign 8
process:
    .quad   0                           /* filled in when the code is installed; the last word */
    .section .note.GNU-stack, "", %progbits
