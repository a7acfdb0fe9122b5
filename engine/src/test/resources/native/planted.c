/* Known machine states for PerfEngineIT: a loop with planted registers, and a busy child. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
/* Spins until *stop is not 0. Each register holds 0x5ca1ab1e00000000 + its DWARF number, but for
   rdi (5: the argument) and rsp (7); the word at rsp is that plus 0x77. */
__asm__(
    ".text\n"
    ".globl planted_spin, planted_loop, planted_end\n"
    ".type planted_spin, @function\n"
    ".type planted_loop, @function\n"
    ".type planted_end, @function\n"
    "planted_spin:\n"
    "  push %rbx\n  push %rbp\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
    "  movabs $0x5ca1ab1e00000077, %rax\n  push %rax\n"
    "  movabs $0x5ca1ab1e00000000, %rax\n"
    "  movabs $0x5ca1ab1e00000001, %rdx\n"
    "  movabs $0x5ca1ab1e00000002, %rcx\n"
    "  movabs $0x5ca1ab1e00000003, %rbx\n"
    "  movabs $0x5ca1ab1e00000004, %rsi\n"
    "  movabs $0x5ca1ab1e00000006, %rbp\n"
    "  movabs $0x5ca1ab1e00000008, %r8\n"
    "  movabs $0x5ca1ab1e00000009, %r9\n"
    "  movabs $0x5ca1ab1e0000000a, %r10\n"
    "  movabs $0x5ca1ab1e0000000b, %r11\n"
    "  movabs $0x5ca1ab1e0000000c, %r12\n"
    "  movabs $0x5ca1ab1e0000000d, %r13\n"
    "  movabs $0x5ca1ab1e0000000e, %r14\n"
    "  movabs $0x5ca1ab1e0000000f, %r15\n"
    "planted_loop:\n"
    "  pause\n"
    "  cmpq $0, (%rdi)\n"
    "  je planted_loop\n"
    "planted_end:\n"
    "  pop %rax\n"
    "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %rbp\n  pop %rbx\n"
    "  ret\n"
    ".size planted_spin, . - planted_spin\n");
#endif

/* Where the calling thread's stack ends. */
long stack_end(void)
{
    pthread_attr_t attr;
    void *start;
    size_t size;
    pthread_getattr_np(pthread_self(), &attr);
    pthread_attr_getstack(&attr, &start, &size);
    pthread_attr_destroy(&attr);
    return (long)start + size;
}

static long elapsed_ms(const struct timespec *from)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - from->tv_sec) * 1000 + (now.tv_nsec - from->tv_nsec) / 1000000;
}

/* Forks a child that spins and does not exec; returns its pid once it has ended. */
int busy_child(int milliseconds)
{
    struct timespec start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    pid_t child = fork();
    if (child == 0) {
        while (elapsed_ms(&start) < milliseconds) {
        }
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    return child;
}
