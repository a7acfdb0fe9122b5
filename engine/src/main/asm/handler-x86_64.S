/*
 * The signal handler of the timer engine, x86-64.
 *
 *   void handler(int signal, siginfo_t *info, ucontext_t *context)
 *                rdi         rsi              rdx
 *
 * It copies the interrupted thread's registers and stack into the ring, and nothing else: no system
 * call, no lock, no thread-local storage, no function but the vdso's clock. It reads the process
 * block, the thread block, what the kernel passes, and the stack between the stack pointer and the
 * end of the thread's own stack, which is mapped as long as the thread lives. Whatever is not a
 * signal of our timers goes to the handler that was there before.
 *
 * Position-independent, and in memory that nobody can write: the address of the process block is
 * filled in before that memory is sealed. `build` in this directory makes the resource from it.
 */
    .include "layout.inc"

    .equ UCONTEXT_REGISTERS,  40    /* r8..r15 rdi rsi rbp rbx rdx rax rcx rsp rip */
    .equ UCONTEXT_RSP,       160
    .equ REGISTERS,           17
    .equ RECORD_STACK,       176    /* RECORD_REGISTERS + 8 * REGISTERS */

    .text
    .globl handler
handler:
    endbr64
    mov     process(%rip), %r11
    lock incq PROCESS_IN_FLIGHT(%r11)   /* a full barrier: counted before ENABLED is read */

    /* Ours: a timer's signal whose value is the address of a thread block in use. */
    cmpl    $SI_TIMER, SIGINFO_CODE(%rsi)
    jne     foreign
    mov     SIGINFO_VALUE(%rsi), %rcx
    mov     %rcx, %r8
    sub     PROCESS_BLOCKS(%r11), %r8
    cmp     PROCESS_BLOCKS_BYTES(%r11), %r8
    jae     foreign
    test    $(BLOCK_BYTES - 1), %r8d
    jnz     foreign
    mov     BLOCK_MAGIC(%rcx), %r8
    cmp     PROCESS_MAGIC(%r11), %r8
    jne     foreign
    cmpq    $0, PROCESS_ENABLED(%r11)
    je      leave

    /* Somebody may have taken the signal over and call us as a function: keep what it expects. */
    push    %rbx
    push    %rbp
    push    %r12
    push    %r13
    push    %r14
    push    %r15
    sub     $8, %rsp                    /* a local, and alignment for the call below */
    mov     %r11, %rbx                  /* rbx: process block */
    mov     %rcx, %rbp                  /* rbp: thread block */
    mov     %rdx, %r12                  /* r12: ucontext */
    mov     %rsi, %r13                  /* r13: siginfo */

    /* r15: bytes of the stack; none where the stack pointer is not in the thread's own stack. */
    xor     %r15d, %r15d
    mov     UCONTEXT_RSP(%r12), %rdx
    mov     BLOCK_STACK_END(%rbp), %rcx
    cmp     %rcx, %rdx
    jae     1f
    cmp     BLOCK_STACK_START(%rbp), %rdx
    jb      1f
    sub     %rdx, %rcx
    mov     PROCESS_STACK_LIMIT(%rbx), %r15
    cmp     %r15, %rcx
    cmovb   %rcx, %r15
    and     $-8, %r15
1:
    /* rsi: bytes of the record; rax: its position, once reserved. */
    lea     (RECORD_STACK + UNIT - 1)(%r15), %rsi
    and     $-UNIT, %rsi
    mov     $ATTEMPTS, %ecx
    mov     PROCESS_HEAD(%rbx), %rax
2:
    lea     (%rax, %rsi), %rdx
    mov     %rdx, %r8
    sub     PROCESS_TAIL(%rbx), %r8
    cmp     PROCESS_RING_BYTES(%rbx), %r8
    jg      full                        /* signed: a head read long ago may be below the tail */
    lock cmpxchg %rdx, PROCESS_HEAD(%rbx)
    je      3f
    dec     %ecx
    jnz     2b
full:
    lock incq PROCESS_DROPPED(%rbx)
    movslq  SIGINFO_OVERRUN(%r13), %rax
    inc     %rax
    lock addq %rax, PROCESS_DROPPED_EXPIRIES(%rbx)
    jmp     done
3:
    mov     PROCESS_RING_BYTES(%rbx), %r14
    dec     %r14
    and     %rax, %r14
    add     PROCESS_RING(%rbx), %r14    /* r14: the record */
    shl     $(32 - UNIT_SHIFT), %rax
    or      %rsi, %rax
    mov     %rax, (%rsp)                /* the commit word, for later */

    xor     %eax, %eax
    mov     %rax, RECORD_TIME(%r14)
    mov     %rax, (RECORD_TIME + 8)(%r14)
    mov     PROCESS_CLOCK(%rbx), %rax
    test    %rax, %rax
    jz      4f
    mov     $CLOCK_MONOTONIC, %edi
    lea     RECORD_TIME(%r14), %rsi
    call    *%rax
4:
    mov     BLOCK_IDENTITY(%rbp), %rax
    mov     %rax, RECORD_IDENTITY(%r14)
    mov     SIGINFO_OVERRUN(%r13), %eax
    mov     %eax, RECORD_OVERRUN(%r14)
    mov     %r15d, RECORD_STACK_BYTES(%r14)

    /* The registers, and right behind them the stack. The direction flag is clear by the ABI. */
    lea     UCONTEXT_REGISTERS(%r12), %rsi
    lea     RECORD_REGISTERS(%r14), %rdi
    mov     $REGISTERS, %ecx
    rep movsq
    mov     UCONTEXT_RSP(%r12), %rsi
    mov     %r15, %rcx
    shr     $3, %rcx
    rep movsq

    mov     (%rsp), %rax
    mov     %rax, RECORD_COMMIT(%r14)   /* stores are seen in order: now the record is whole */
done:
    add     $8, %rsp
    pop     %r15
    pop     %r14
    pop     %r13
    pop     %r12
    pop     %rbp
    pop     %rbx
leave:
    mov     process(%rip), %r11
    lock decq PROCESS_IN_FLIGHT(%r11)
    ret

    /* Not ours: on to the handler before us, with all arguments as they came. */
foreign:
    lock incq PROCESS_FOREIGN(%r11)
    lock decq PROCESS_IN_FLIGHT(%r11)
    mov     PROCESS_OLD_HANDLER(%r11), %rax
    test    %rax, %rax
    jz      ignore
    jmp     *%rax
ignore:
    ret

    .balign 8, 0xcc
process:
    .quad   0                           /* filled in when the code is installed; the last word */
    .section .note.GNU-stack, "", @progbits
