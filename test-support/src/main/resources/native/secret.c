/*
 * Computes without end on so many threads, each with a secret all over its stack and in registers:
 * the argument times an odd number, so that it is in nobody's memory but this process's.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WORDS 8192

static uint64_t secret;

static void *compute(void *argument)
{
    volatile uint64_t stack[WORDS];
    for (int i = 0; i < WORDS; i++) {
        stack[i] = secret;
    }
    for (uint64_t i = 0;; i++) {
        stack[i % WORDS] = secret;
    }
    return argument;
}

int main(int count, char **arguments)
{
    if (count != 3) {
        return 2;
    }
    secret = strtoull(arguments[1], NULL, 10) * 0x9E3779B97F4A7C15u;
    pthread_t thread;
    for (int i = atoi(arguments[2]); i > 0; i--) {
        if (pthread_create(&thread, NULL, compute, NULL) != 0) {
            return 1;
        }
    }
    puts("ready");
    fflush(stdout);
    /* Ends with whoever has started it. */
    char end;
    return read(0, &end, 1) < 0;
}
