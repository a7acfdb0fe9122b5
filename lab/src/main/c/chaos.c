/*
 * What Java alone can't do to a process: load and unload a library all the time, fork in every way
 * that there is, move threads from CPU to CPU, and starve one of them.
 */
#define _GNU_SOURCE
#include "lab.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Pages that are kept mapped between two loads, so that the next load finds another place. */
static __thread void *gap;
static __thread size_t gap_bytes;

/* 0 if it can't be loaded, or lacks its function. */
JNIEXPORT jlong JNICALL Java_stackweave_lab_chaos_work_Native_loadAndRun(JNIEnv *env, jclass self,
                                                                        jstring path, jlong seed,
                                                                        jint work, jint gap_pages) {
  (void)self;
  if (gap != NULL) {
    munmap(gap, gap_bytes);
  }
  gap_bytes = (size_t)(gap_pages + 1) * 4096;
  gap = mmap(NULL, gap_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  gap = gap == MAP_FAILED ? NULL : gap;
  const char *name = (*env)->GetStringUTFChars(env, path, NULL);
  if (name == NULL) {
    return 0;
  }
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  (*env)->ReleaseStringUTFChars(env, path, name);
  if (library == NULL) {
    return 0;
  }
  uint64_t (*run)(uint64_t, long) = (uint64_t(*)(uint64_t, long))dlsym(library, "lab_storm_run");
  uint64_t result = run == NULL ? 0 : run((uint64_t)seed, work);
  dlclose(library);
  return (jlong)result;
}

/* What each child of a fork does, and any thread can do for comparison. */
LAB uint64_t lab_chaos_work(uint64_t seed, long work);
LAB uint64_t lab_chaos_work(uint64_t seed, long work) { return lab_mix_many(seed, work); }

JNIEXPORT jlong JNICALL Java_stackweave_lab_chaos_work_Native_work(JNIEnv *env, jclass self,
                                                                  jlong seed, jint work) {
  (void)env;
  (void)self;
  return (jlong)lab_chaos_work((uint64_t)seed, work);
}

static pid_t wait_for(pid_t child, int *status) {
  pid_t ended;
  do {
    ended = waitpid(child, status, 0);
  } while (ended < 0 && errno == EINTR);
  return ended;
}

/*
 * A child without exec computes and tells its result through a pipe; results[0] is the result,
 * results[1] the child's id, 0 if any of it failed.
 */
JNIEXPORT void JNICALL Java_stackweave_lab_chaos_work_Native_forkAndWork(JNIEnv *env, jclass self,
                                                                        jlong seed, jint work,
                                                                        jlongArray results) {
  (void)self;
  int ends[2];
  jlong out[2] = {0, 0};
  if (pipe2(ends, O_CLOEXEC) == 0) {
    pid_t child = fork();
    if (child == 0) {
      uint64_t result = lab_chaos_work((uint64_t)seed, work);
      _exit(write(ends[1], &result, sizeof result) == sizeof result ? 0 : 1);
    }
    close(ends[1]);
    uint64_t result = 0;
    int status = 1;
    ssize_t got;
    do {
      got = read(ends[0], &result, sizeof result);
    } while (got < 0 && errno == EINTR);
    close(ends[0]);
    if (child > 0 && wait_for(child, &status) == child && status == 0 && got == sizeof result) {
      out[0] = (jlong)result;
      out[1] = child;
    }
  }
  (*env)->SetLongArrayRegion(env, results, 0, 2, out);
}

/*
 * A child that executes a program at once: how is 0 for fork, 1 for vfork, 2 for posix_spawn.
 * results[0] is its exit status as waitpid tells it, or -1, results[1] its id.
 */
JNIEXPORT void JNICALL Java_stackweave_lab_chaos_work_Native_execute(JNIEnv *env, jclass self,
                                                                    jint how, jstring program,
                                                                    jstring script,
                                                                    jlongArray results) {
  (void)self;
  jlong out[2] = {-1, 0};
  const char *path = (*env)->GetStringUTFChars(env, program, NULL);
  const char *text = (*env)->GetStringUTFChars(env, script, NULL);
  if (path != NULL && text != NULL) {
    char *const arguments[] = {(char *)path, "-c", (char *)text, NULL};
    pid_t child = -1;
    int status = -1;
    if (how == 2) {
      child = posix_spawn(&child, path, NULL, NULL, arguments, environ) == 0 ? child : -1;
    } else {
      child = how == 1 ? vfork() : fork();
      if (child == 0) {
        execve(path, arguments, environ);
        _exit(127);
      }
    }
    if (child > 0 && wait_for(child, &status) == child) {
      out[0] = status;
      out[1] = child;
    }
  }
  if (path != NULL) {
    (*env)->ReleaseStringUTFChars(env, program, path);
  }
  if (text != NULL) {
    (*env)->ReleaseStringUTFChars(env, script, text);
  }
  (*env)->SetLongArrayRegion(env, results, 0, 2, out);
}

/* Java -> here -> Java ... without end: an exception ends it. */
LAB jlong lab_chaos_again(JNIEnv *env, jobject overflows, jlong n);
LAB jlong lab_chaos_again(JNIEnv *env, jobject overflows, jlong n) {
  jclass type = (*env)->GetObjectClass(env, overflows);
  jmethodID again = (*env)->GetMethodID(env, type, "again", "(J)J");
  (*env)->DeleteLocalRef(env, type);
  return again == NULL ? 0 : (*env)->CallLongMethod(env, overflows, again, n);
}

JNIEXPORT jlong JNICALL Java_stackweave_lab_chaos_work_Native_descend(JNIEnv *env, jclass self,
                                                                     jobject overflows, jlong n) {
  (void)self;
  return lab_chaos_again(env, overflows, n) + 1;
}

/* Bits of CPUs; false if the thread is gone, or may not run there. */
JNIEXPORT jboolean JNICALL Java_stackweave_lab_chaos_work_Native_allow(JNIEnv *env, jclass self,
                                                                      jint tid, jlong cpus) {
  (void)env;
  (void)self;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int cpu = 0; cpu < 64; cpu++) {
    if (((uint64_t)cpus >> cpu & 1) != 0) {
      CPU_SET(cpu, &set);
    }
  }
  return sched_setaffinity(tid, sizeof set, &set) == 0;
}

/* The CPUs, below 64, that a thread may run on; 0 if it is gone. */
JNIEXPORT jlong JNICALL Java_stackweave_lab_chaos_work_Native_allowed(JNIEnv *env, jclass self,
                                                                     jint tid) {
  (void)env;
  (void)self;
  cpu_set_t set;
  uint64_t cpus = 0;
  CPU_ZERO(&set);
  if (sched_getaffinity(tid, sizeof set, &set) == 0) {
    for (int cpu = 0; cpu < 64; cpu++) {
      cpus |= (uint64_t)(CPU_ISSET(cpu, &set) != 0) << cpu;
    }
  }
  return (jlong)cpus;
}

/* On Linux a thread has a nice value of its own. */
JNIEXPORT jboolean JNICALL Java_stackweave_lab_chaos_work_Native_renice(JNIEnv *env, jclass self,
                                                                       jint tid, jint nice) {
  (void)env;
  (void)self;
  return setpriority(PRIO_PROCESS, (id_t)tid, nice) == 0;
}
