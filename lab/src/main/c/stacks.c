/*
 * Threads whose stack pointer is not where the VM and the C library think: on stacks of a pool that
 * the caller supplied, in coroutines beside them, on a signal stack. Between two of them a third
 * one is unmapped while they run.
 */
#define _GNU_SOURCE
#include "lab.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define SLOT_BYTES (256 * 1024)
#define SLOTS 6

/* In a pool: the coroutine's stack, an idle one right above it, the thread's own above that. */
#define COROUTINE 1
#define IDLE 2
#define OWN 3
#define SIGNAL_STACK 4

/* What is marked by MADV_GUARD_INSTALL stays one mapping: Linux 6.13; others refuse it. */
#define GUARD_INSTALL 102

struct lab_stacks_task {
  char *pool;
  JavaVM *vm; /* NULL: the thread stays unknown to the VM */
  uint64_t seed;
  long work;
  uint64_t result;
  ucontext_t home;
  ucontext_t coroutine;
  int idle_unmapped; /* its addresses may be another mapping's by now */
  int failed;
};

void *lab_stacks_main(void *argument);
void lab_stacks_coroutine(unsigned high, unsigned low);
void lab_stacks_on_signal(int number);
uint64_t lab_stacks_burn(uint64_t x, long work);

static __thread struct lab_stacks_task *signalled;

LAB uint64_t lab_stacks_burn(uint64_t x, long work) { return lab_mix_many(x, work); }

static char *slot(struct lab_stacks_task *task, int number) {
  return task->pool + (size_t)number * SLOT_BYTES;
}

LAB void lab_stacks_on_signal(int number) {
  (void)number;
  signalled->result = lab_stacks_burn(signalled->result, signalled->work);
}

LAB void lab_stacks_coroutine(unsigned high, unsigned low) {
  struct lab_stacks_task *task = (struct lab_stacks_task *)((uintptr_t)high << 32 | low);
  task->result = lab_stacks_burn(task->result, task->work);
  swapcontext(&task->coroutine, &task->home);
  /* The stack right above is gone now. */
  task->result = lab_stacks_burn(task->result, task->work);
  swapcontext(&task->coroutine, &task->home);
}

static int signal_number(void) { return SIGRTMIN + 13; }

static void on_a_signal_stack(struct lab_stacks_task *task) {
  stack_t stack = {.ss_sp = slot(task, SIGNAL_STACK), .ss_size = SLOT_BYTES};
  stack_t old;
  if (sigaltstack(&stack, &old) != 0) {
    task->failed = 1;
    return;
  }
  signalled = task;
  task->failed |= pthread_kill(pthread_self(), signal_number()) != 0;
  task->failed |= sigaltstack(&old, NULL) != 0;
}

static void in_a_coroutine(struct lab_stacks_task *task) {
  uintptr_t self = (uintptr_t)task;
  getcontext(&task->coroutine);
  task->coroutine.uc_stack.ss_sp = slot(task, COROUTINE);
  task->coroutine.uc_stack.ss_size = SLOT_BYTES;
  task->coroutine.uc_link = NULL;
  makecontext(&task->coroutine, (void (*)(void))lab_stacks_coroutine, 2, (unsigned)(self >> 32),
              (unsigned)self);
  swapcontext(&task->home, &task->coroutine);
  task->idle_unmapped = munmap(slot(task, IDLE), SLOT_BYTES) == 0;
  task->failed |= !task->idle_unmapped;
  swapcontext(&task->home, &task->coroutine);
}

LAB void *lab_stacks_main(void *argument) {
  struct lab_stacks_task *task = argument;
  JNIEnv *env;
  JavaVMAttachArgs args = {JNI_VERSION_10, (char *)"lab-stacks", NULL};
  if (task->vm != NULL &&
      (*task->vm)->AttachCurrentThread(task->vm, (void **)&env, &args) != JNI_OK) {
    task->failed = 1;
    return NULL;
  }
  task->result = lab_stacks_burn(task->seed, task->work);
  in_a_coroutine(task);
  on_a_signal_stack(task);
  task->result = lab_stacks_burn(task->result, task->work);
  if (task->vm != NULL) {
    (*task->vm)->DetachCurrentThread(task->vm);
  }
  return NULL;
}

/*
 * A thread on a stack of a pool, known to the VM or not: five times `work` steps on from `seed`, on
 * its own stack, in a coroutine and on a signal stack. 0 if any of it failed.
 */
JNIEXPORT jlong JNICALL Java_stackweave_lab_chaos_work_Native_runOnPool(JNIEnv *env, jclass self,
                                                                       jlong seed, jint work,
                                                                       jboolean attached,
                                                                       jboolean guards) {
  (void)self;
  struct sigaction action = {.sa_handler = lab_stacks_on_signal, .sa_flags = SA_ONSTACK};
  struct lab_stacks_task *task = calloc(1, sizeof *task);
  if (task == NULL || sigaction(signal_number(), &action, NULL) != 0) {
    free(task);
    return 0;
  }
  task->seed = (uint64_t)seed;
  task->work = work;
  task->pool = mmap(NULL, (size_t)SLOTS * SLOT_BYTES, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  task->failed = task->pool == MAP_FAILED;
  if (!task->failed && attached) {
    task->failed = (*env)->GetJavaVM(env, &task->vm) != JNI_OK;
  }
  for (int i = 0; guards && !task->failed && i < SLOTS; i++) {
    madvise(slot(task, i), 4096, GUARD_INSTALL); /* or not, on older kernels */
  }
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_t thread;
  if (!task->failed) {
    task->failed = pthread_attr_setstack(&attributes, slot(task, OWN), SLOT_BYTES) != 0 ||
                   pthread_create(&thread, &attributes, lab_stacks_main, task) != 0;
    if (!task->failed) {
      pthread_join(thread, NULL);
    }
    for (int i = 0; i < SLOTS; i++) {
      if (i != IDLE || !task->idle_unmapped) {
        munmap(slot(task, i), SLOT_BYTES);
      }
    }
  }
  pthread_attr_destroy(&attributes);
  jlong result = task->failed ? 0 : (jlong)task->result;
  free(task);
  return result;
}
