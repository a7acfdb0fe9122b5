/*
 * Makes a process believe that the machine has as many CPUs as the environment variable CPUS says:
 *
 *   CPUS=128 LD_PRELOAD=libcpus.so java ...
 *
 * A CPU that is not there is one of those that are, by the remainder. An event on it counts
 * nothing (PERF_COUNT_SW_DUMMY), stays disabled and reports nothing, as an event on a CPU on which
 * its thread never runs; but the kernel allocates it, lets threads inherit it and releases it like
 * any other. So a thread has as many events as on such a machine, which is what costs.
 *
 * The file that CPUS_COUNTS names holds two words: how many counts were read from events, and the
 * CPU time that took in nanoseconds.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MOST_FDS (1 << 20)

enum { NONE, REAL, EMULATED };

static unsigned char events[MOST_FDS];
static int highest;
static long none[2], *counts = none;
static long cpus, real;
static long (*next_syscall)(long, ...);
static int (*next_prctl)(int, ...);
static ssize_t (*next_read)(int, void *, size_t);
static int (*next_affinity)(pid_t, size_t, cpu_set_t *);

__attribute__((constructor)) static void begin(void) {
  next_syscall = dlsym(RTLD_NEXT, "syscall");
  next_prctl = dlsym(RTLD_NEXT, "prctl");
  next_read = dlsym(RTLD_NEXT, "read");
  next_affinity = dlsym(RTLD_NEXT, "sched_getaffinity");
  cpus = getenv("CPUS") ? atol(getenv("CPUS")) : 0;
  real = sysconf(_SC_NPROCESSORS_CONF);
  const char *path = getenv("CPUS_COUNTS");
  int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (fd >= 0 && ftruncate(fd, sizeof none) == 0) {
    void *mapped = mmap(NULL, sizeof none, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    counts = mapped == MAP_FAILED ? none : mapped;
  }
  if (fd >= 0) {
    close(fd);
  }
}

/* In the C library's header it has a variable argument list. */
long all_syscalls(long, long, long, long, long, long, long) __asm__("syscall");

long all_syscalls(long number, long a, long b, long c, long d, long e, long f) {
  if (number != SYS_perf_event_open) {
    return next_syscall(number, a, b, c, d, e, f);
  }
  struct perf_event_attr attr;
  memcpy(&attr, (void *) a, PERF_ATTR_SIZE_VER5);
  int kind = c < real ? REAL : EMULATED;
  if (kind == EMULATED) {
    c %= real;
    attr.disabled = 1;
    attr.config = PERF_COUNT_SW_DUMMY;
    attr.mmap = attr.mmap2 = attr.comm = attr.task = 0;
  }
  long fd = next_syscall(number, &attr, b, c, d, e, f);
  if (fd >= 0 && fd < MOST_FDS) {
    events[fd] = kind;
    highest = fd > highest ? fd : highest;
  }
  return fd;
}

int all_prctls(int, long, long, long, long) __asm__("prctl");

int all_prctls(int option, long a, long b, long c, long d) {
  int result = next_prctl(option, a, b, c, d);
  for (int fd = 0; option == PR_TASK_PERF_EVENTS_ENABLE && fd <= highest; fd++) {
    if (events[fd] == EMULATED) {
      ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    }
  }
  return result;
}

ssize_t read(int fd, void *buffer, size_t length) {
  if (length > 16 || fd < 0 || fd >= MOST_FDS || events[fd] == NONE) {
    return next_read(fd, buffer, length);
  }
  struct timespec before, after;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
  ssize_t result = next_read(fd, buffer, length);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
  counts[0]++;
  counts[1] += (after.tv_sec - before.tv_sec) * 1000000000L + after.tv_nsec - before.tv_nsec;
  return result;
}

int sched_getaffinity(pid_t tid, size_t length, cpu_set_t *mask) {
  int result = next_affinity(tid, length, mask);
  if (result >= 0 && cpus > real && length >= (size_t) cpus / 8) {
    for (long cpu = real; cpu < cpus; cpu++) {
      CPU_SET_S(cpu, length, mask);
    }
  }
  return result;
}
