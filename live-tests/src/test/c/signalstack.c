/* A thread that unmaps its signal stack and does not tell the kernel, as some runtimes' do. */
#include <jni.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define BYTES (256 * 1024)

static void *run(void *millis) {
  stack_t stack = {.ss_size = BYTES};
  stack.ss_sp = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack.ss_sp == MAP_FAILED || sigaltstack(&stack, NULL) != 0) {
    abort();
  }
  munmap(stack.ss_sp, BYTES);
  struct timespec used;
  do {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  } while (used.tv_sec * 1000 + used.tv_nsec / 1000000 < *(jint *)millis);
  return NULL;
}

/* Uses so much CPU time in such a thread. */
JNIEXPORT void JNICALL Java_stackweave_live_stacks_SignalStackApp_run(JNIEnv *env, jclass self,
                                                                    jint millis) {
  (void)env;
  (void)self;
  pthread_t thread;
  if (pthread_create(&thread, NULL, run, &millis) != 0) {
    abort();
  }
  pthread_join(thread, NULL);
}
