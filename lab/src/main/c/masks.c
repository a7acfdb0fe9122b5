/* Threads that block every signal: some compute, some wait for any signal at all. */
#define _GNU_SOURCE
#include "lab.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

struct lab_masks_task {
  uint64_t seed;
  long work;
  uint64_t result;
  int unexpected; /* a signal that nobody sent but a profiler */
};

void *lab_masks_main(void *argument);
uint64_t lab_masks_burn(uint64_t x, long work);

LAB uint64_t lab_masks_burn(uint64_t x, long work) { return lab_mix_many(x, work); }

/* The mask is its creator's from its first instruction on. */
LAB void *lab_masks_main(void *argument) {
  struct lab_masks_task *task = argument;
  const struct timespec moment = {0, 2000000};
  const struct timespec blink = {0, 50000};
  sigset_t all;
  sigfillset(&all);
  sigdelset(&all, SIGCHLD); /* of children of others in the same JVM */
  task->result = task->seed;
  for (int i = 0; i < 4; i++) {
    /* In pieces, with a short wait after each: the mask is open within a wait and closed next. */
    for (int piece = 0; piece < 8; piece++) {
      task->result = lab_masks_burn(task->result, task->work / 8);
      const struct timespec *wait = piece < 7 ? &blink : &moment;
      int number = sigtimedwait(&all, NULL, wait);
      task->unexpected = number > 0 ? number : task->unexpected;
    }
  }
  return NULL;
}

/*
 * A thread that blocks all signals, computes four times `work` steps from `seed` on and waits for
 * any signal after each. 0 if it can't be made; minus the number of a signal that came.
 */
JNIEXPORT jlong JNICALL Java_stackweave_lab_chaos_work_Native_runMasked(JNIEnv *env, jclass self,
                                                                       jlong seed, jint work) {
  (void)env;
  (void)self;
  struct lab_masks_task task = {.seed = (uint64_t)seed, .work = work};
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  int failed = pthread_create(&thread, NULL, lab_masks_main, &task) != 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (failed) {
    return 0;
  }
  pthread_join(thread, NULL);
  return task.unexpected != 0 ? -task.unexpected : (jlong)task.result;
}
