/* The kernel's number of a thread, and its clock's ticks: stackweave.live.shares.Ticks. */
#define _GNU_SOURCE
#include <jni.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

JNIEXPORT jint JNICALL Java_stackweave_live_shares_Ticks_thisThread(JNIEnv *env, jclass type) {
  (void)env, (void)type;
  return (jint)syscall(SYS_gettid);
}

JNIEXPORT jlong JNICALL Java_stackweave_live_shares_Ticks_last(JNIEnv *env, jclass type) {
  (void)env, (void)type;
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

JNIEXPORT jlong JNICALL Java_stackweave_live_shares_Ticks_nanos(JNIEnv *env, jclass type) {
  (void)env, (void)type;
  struct timespec time;
  clock_getres(CLOCK_MONOTONIC_COARSE, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}
