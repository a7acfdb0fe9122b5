/*
 * What the measurements ask the kernel: CPU time, its clock's ticks, and perf events that sample
 * nothing. The JNI methods of stackweave.verify.CpuTime, stackweave.verify.shares.Ticks and
 * stackweave.verify.threads.IdleEvents.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <jni.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static jlong nanos(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

JNIEXPORT jlong JNICALL Java_stackweave_verify_CpuTime_ofThread(JNIEnv *env, jclass type) {
  (void)env, (void)type;
  return nanos(CLOCK_THREAD_CPUTIME_ID);
}

JNIEXPORT jlong JNICALL Java_stackweave_verify_CpuTime_ofProcess(JNIEnv *env, jclass type) {
  (void)env, (void)type;
  return nanos(CLOCK_PROCESS_CPUTIME_ID);
}

static jlong of(struct timeval time) {
  return time.tv_sec * 1000000000LL + time.tv_usec * 1000LL;
}

JNIEXPORT jlong JNICALL Java_stackweave_verify_CpuTime_ofChildren(JNIEnv *env, jclass type) {
  (void)env, (void)type;
  struct rusage usage;
  getrusage(RUSAGE_CHILDREN, &usage);
  return of(usage.ru_utime) + of(usage.ru_stime);
}

JNIEXPORT jint JNICALL Java_stackweave_verify_shares_Ticks_thisThread(JNIEnv *env, jclass type) {
  (void)env, (void)type;
  return (jint)syscall(SYS_gettid);
}

JNIEXPORT jlong JNICALL Java_stackweave_verify_shares_Ticks_last(JNIEnv *env, jclass type) {
  (void)env, (void)type;
  return nanos(CLOCK_MONOTONIC_COARSE);
}

JNIEXPORT jlong JNICALL Java_stackweave_verify_shares_Ticks_nanos(JNIEnv *env, jclass type) {
  (void)env, (void)type;
  struct timespec time;
  clock_getres(CLOCK_MONOTONIC_COARSE, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* A dummy of the software events, disabled, inherited by threads: a descriptor, or -errno. */
JNIEXPORT jint JNICALL Java_stackweave_verify_threads_IdleEvents_openOne(JNIEnv *env, jclass type, jint number) {
  (void)env, (void)type;
  struct perf_event_attr attr = {0};
  attr.type = PERF_TYPE_SOFTWARE;
  attr.size = sizeof attr;
  attr.config = PERF_COUNT_SW_DUMMY;
  attr.disabled = 1;
  attr.inherit = 1;
  attr.inherit_thread = 1;
  int cpu = number % (int)sysconf(_SC_NPROCESSORS_ONLN);
  long fd = syscall(SYS_perf_event_open, &attr, (pid_t)syscall(SYS_gettid), cpu, -1, 0);
  return fd < 0 ? -errno : (jint)fd;
}

/* Reads the count of an event: whether there is one. */
JNIEXPORT jboolean JNICALL Java_stackweave_verify_threads_IdleEvents_readOne(JNIEnv *env, jclass type, jint fd) {
  (void)env, (void)type;
  uint64_t count;
  return read(fd, &count, sizeof count) == sizeof count;
}
