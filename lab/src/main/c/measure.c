/*
 * What the measurements ask the kernel: CPU time. The JNI methods of stackweave.lab.CpuTime.
 */
#define _GNU_SOURCE
#include <jni.h>
#include <sys/resource.h>
#include <time.h>

static jlong nanos(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

JNIEXPORT jlong JNICALL Java_stackweave_lab_CpuTime_ofThread(JNIEnv *env, jclass type) {
  (void)env, (void)type;
  return nanos(CLOCK_THREAD_CPUTIME_ID);
}

JNIEXPORT jlong JNICALL Java_stackweave_lab_CpuTime_ofProcess(JNIEnv *env, jclass type) {
  (void)env, (void)type;
  return nanos(CLOCK_PROCESS_CPUTIME_ID);
}

static jlong of(struct timeval time) {
  return time.tv_sec * 1000000000LL + time.tv_usec * 1000LL;
}

JNIEXPORT jlong JNICALL Java_stackweave_lab_CpuTime_ofChildren(JNIEnv *env, jclass type) {
  (void)env, (void)type;
  struct rusage usage;
  getrusage(RUSAGE_CHILDREN, &usage);
  return of(usage.ru_utime) + of(usage.ru_stime);
}
