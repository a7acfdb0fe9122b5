/*
 * Threads that C creates: they burn before the VM knows them, attach, call Java (which calls C
 * again), detach, burn once more and end.
 */
#include "lab.h"

#include <pthread.h>

struct lab_thread_task {
  JavaVM *vm;
  jobject phase; /* global reference */
  uint64_t seed;
  jint work;
  int detach_before_end;
  uint64_t result;
  int failed;
};

void *lab_thread_main(void *argument);
uint64_t lab_thread_attached(struct lab_thread_task *task);
uint64_t lab_thread_burn(uint64_t x, long work);
uint64_t lab_thread_burn_leaf(uint64_t x, long work);

LAB uint64_t lab_thread_burn_leaf(uint64_t x, long work) { return lab_mix_many(x, work); }

LAB uint64_t lab_thread_burn(uint64_t x, long work) { return lab_thread_burn_leaf(x, work) + 1; }

LAB uint64_t lab_thread_attached(struct lab_thread_task *task) {
  JNIEnv *env;
  JavaVMAttachArgs args = {JNI_VERSION_10, (char *)"lab-attached", NULL};
  if ((*task->vm)->AttachCurrentThread(task->vm, (void **)&env, &args) != JNI_OK) {
    task->failed = 1;
    return 0;
  }
  jclass type = (*env)->GetObjectClass(env, task->phase);
  jmethodID inside = (*env)->GetMethodID(env, type, "inside", "(JI)J");
  uint64_t y =
      inside == NULL
          ? 0
          : (uint64_t)(*env)->CallLongMethod(env, task->phase, inside, (jlong)task->seed, task->work);
  task->failed = (*env)->ExceptionCheck(env) || inside == NULL;
  if (task->failed) {
    (*env)->ExceptionClear(env);
  }
  (*task->vm)->DetachCurrentThread(task->vm);
  return y;
}

LAB void *lab_thread_main(void *argument) {
  struct lab_thread_task *task = argument;
  uint64_t x = lab_thread_burn(task->seed, task->work);
  x ^= lab_thread_attached(task);
  task->result = x ^ lab_thread_burn(task->seed + 1, task->work);
  return NULL;
}

/* Called by a Java method on the attached thread. */
JNIEXPORT jlong JNICALL Java_stackweave_samples_lab_phase_NativeThreads_burn(JNIEnv *env,
                                                                             jclass self, jlong x,
                                                                             jint work) {
  (void)env;
  (void)self;
  return (jlong)(lab_thread_burn((uint64_t)x, work) + 1);
}

/* 0 when a thread could not be started or attached. */
JNIEXPORT jlong JNICALL Java_stackweave_samples_lab_phase_NativeThreads_run(JNIEnv *env,
                                                                            jobject self,
                                                                            jlong seed, jint work) {
  struct lab_thread_task task = {.seed = (uint64_t)seed, .work = work};
  if ((*env)->GetJavaVM(env, &task.vm) != JNI_OK) {
    return 0;
  }
  task.phase = (*env)->NewGlobalRef(env, self);
  pthread_t thread;
  int started = pthread_create(&thread, NULL, lab_thread_main, &task) == 0;
  if (started) {
    pthread_join(thread, NULL);
  }
  (*env)->DeleteGlobalRef(env, task.phase);
  return started && !task.failed ? (jlong)task.result : 0;
}
