/*
 * What the measurements ask the kernel: CPU time, and its clock's ticks. The JNI methods of
 * stackweave.lab.CpuTime and stackweave.lab.shares.Ticks.
 */
#define _GNU_SOURCE
#include <jni.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

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

JNIEXPORT jint JNICALL Java_stackweave_lab_shares_Ticks_thisThread(JNIEnv *env, jclass type) {
  (void)env, (void)type;
  return (jint)syscall(SYS_gettid);
}

JNIEXPORT jlong JNICALL Java_stackweave_lab_shares_Ticks_last(JNIEnv *env, jclass type) {
  (void)env, (void)type;
  return nanos(CLOCK_MONOTONIC_COARSE);
}

JNIEXPORT jlong JNICALL Java_stackweave_lab_shares_Ticks_nanos(JNIEnv *env, jclass type) {
  (void)env, (void)type;
  struct timespec time;
  clock_getres(CLOCK_MONOTONIC_COARSE, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}
