/*
 * Stacks that run through a signal frame: handler -> burn, the kernel's trampoline, and under it
 * the interrupted chain outer -> victim (-> the leaf it was in). Half of the signals are raised by
 * the victim itself, the others come from a CPU timer and hit whatever instruction is running.
 */
#define _GNU_SOURCE
#include "lab.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

struct lab_signal_run {
  uint64_t seed;
  long work;
  volatile uint64_t result;  /* of the last handler; the same every time */
  volatile long deliveries;
  volatile long wrong;
};

void lab_signal_handler(int number, siginfo_t *info, void *context);
uint64_t lab_signal_burn(uint64_t x, long work);
uint64_t lab_signal_burn_leaf(uint64_t x, long work);
uint64_t lab_signal_victim(struct lab_signal_run *run, int number, int raises, long work);
uint64_t lab_signal_victim_leaf(uint64_t x, long work);
uint64_t lab_signal_outer(uint64_t seed, int raises, long work);

LAB uint64_t lab_signal_burn_leaf(uint64_t x, long work) { return lab_mix_many(x, work); }

LAB uint64_t lab_signal_burn(uint64_t x, long work) { return lab_signal_burn_leaf(x, work) + 1; }

LAB void lab_signal_handler(int number, siginfo_t *info, void *context) {
  (void)number;
  (void)context;
  struct lab_signal_run *run = info->si_value.sival_ptr;
  uint64_t result = lab_signal_burn(run->seed, run->work);
  if (run->deliveries++ > 0 && result != run->result) {
    run->wrong++;
  }
  run->result = result;
}

LAB uint64_t lab_signal_victim_leaf(uint64_t x, long work) { return lab_mix_many(x, work); }

LAB uint64_t lab_signal_victim(struct lab_signal_run *run, int number, int raises, long work) {
  uint64_t x = run->seed;
  for (int i = 0; i < raises; i++) {
    x = lab_signal_victim_leaf(x, work);
    union sigval value = {.sival_ptr = run};
    pthread_sigqueue(pthread_self(), number, value);
  }
  return x;
}

/* 0 when the thread could not be interrupted as planned: the caller then reports it. */
LAB uint64_t lab_signal_outer(uint64_t seed, int raises, long work) {
  struct lab_signal_run run = {.seed = seed, .work = work};
  int number = SIGRTMIN + LAB_SIGNAL; /* one per variant: handlers belong to the process */
  struct sigaction action, before;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = lab_signal_handler;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  if (sigaction(number, &action, &before) != 0) {
    return 0;
  }
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = number;
  event.sigev_notify_thread_id = (int)syscall(SYS_gettid);
  event.sigev_value.sival_ptr = &run;
  timer_t timer;
  if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0) {
    return 0;
  }
  struct itimerspec every = {.it_interval = {0, 1700000}, .it_value = {0, 1700000}};
  timer_settime(timer, 0, &every, NULL);
  uint64_t x = lab_signal_victim(&run, number, raises, work);
  timer_delete(timer);
  /* `before` is not put back: a late delivery to another thread of the lab must find a handler. */
  if (run.wrong != 0 || run.deliveries < raises) {
    return 0;
  }
  return x ^ run.result;
}

JNIEXPORT jlong JNICALL Java_stackweave_samples_lab_phase_Signals_run(JNIEnv *env, jclass self,
                                                                      jlong seed, jint raises,
                                                                      jint work) {
  (void)env;
  (void)self;
  return (jlong)lab_signal_outer((uint64_t)seed, raises, work);
}
