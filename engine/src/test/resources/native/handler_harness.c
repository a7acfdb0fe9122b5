/*
 * handler_harness CODE: runs the timer engine's signal handler without a JVM, on whatever processor
 * it is compiled for. Prints one line per check and ends with "all held", or says what did not.
 *
 * The offsets come from the assembled handler itself (-include of a header made from its symbols).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <fcntl.h>

#define RING (1 << 20)
#define THREADS 4
#define BLOCKS 16
#define MAGIC_VALUE 0x1badb002deadbeefULL
#define AT64(base, offset) (*(volatile uint64_t *)((char *)(base) + (offset)))
#define AT32(base, offset) (*(volatile uint32_t *)((char *)(base) + (offset)))

#if defined(__x86_64__)
#define UC_SP(uc) ((uc)->uc_mcontext.gregs[REG_RSP])
#define SP_INDEX 15
#define PC_INDEX 16
#define ROUNDING 8
#else
#define UC_SP(uc) ((uc)->uc_mcontext.sp)
#define SP_INDEX 31
#define PC_INDEX 32
#define ROUNDING 16
#endif

static char *process;
static char *blocks;
static char *ring;
static int signal_number;
static volatile int old_calls;
static volatile int old_signo;
static volatile int old_code;
static void *volatile old_value;
static volatile uintptr_t old_context;

static void fail(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vprintf(format, list);
  va_end(list);
  printf("\n");
  exit(1);
}

#define CHECK(condition, ...) \
  do {                        \
    if (!(condition)) {       \
      printf("line %d: ", __LINE__); \
      fail(__VA_ARGS__);      \
    }                         \
  } while (0)

static void old_handler(int signo, siginfo_t *info, void *context) {
  old_calls++;
  old_signo = signo;
  old_code = info->si_code;
  old_value = info->si_value.sival_ptr;
  old_context = (uintptr_t)context;
}

/* As the engine does it: filled in, sealed, mapped anew. */
static void *install_code(const char *path) {
  static char code[65536];
  FILE *file = fopen(path, "rb");
  CHECK(file != NULL, "%s: %s", path, strerror(errno));
  size_t size = fread(code, 1, sizeof code, file);
  fclose(file);
  memcpy(code + size - 8, &process, 8);
  int fd = memfd_create("handler", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  CHECK(fd >= 0, "memfd_create: %s", strerror(errno));
  CHECK(write(fd, code, size) == (ssize_t)size, "write: %s", strerror(errno));
  CHECK(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) == 0,
        "seals: %s", strerror(errno));
  void *mapped = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
  CHECK(mapped != MAP_FAILED, "mmap: %s", strerror(errno));
  close(fd);
  return mapped;
}

static void *zeroed(size_t size) {
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED, "mmap: %s", strerror(errno));
  return memory;
}

static char *map_ring(void) {
  int fd = memfd_create("ring", MFD_CLOEXEC);
  CHECK(fd >= 0 && ftruncate(fd, RING) == 0, "ring: %s", strerror(errno));
  char *twice = mmap(NULL, 2 * RING, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < 2; i++) {
    CHECK(mmap(twice + i * RING, RING, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) !=
              MAP_FAILED, "ring: %s", strerror(errno));
  }
  close(fd);
  return twice;
}

static char *block(int i) { return blocks + i * BLOCK_BYTES; }

static void stack_of_self(int i) {
  pthread_attr_t attributes;
  void *start;
  size_t size;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &start, &size);
  pthread_attr_destroy(&attributes);
  AT64(block(i), BLOCK_STACK_START) = (uintptr_t)start;
  AT64(block(i), BLOCK_STACK_END) = (uintptr_t)start + size;
}

/* Queues a signal to this thread as the kernel's timer would: it is handled before this returns. */
static void raise_as(int code, int overrun, void *value) {
  char info[128] = {0};
  *(int *)info = signal_number;
  *(int *)(info + SIGINFO_CODE) = code;
  *(int *)(info + SIGINFO_OVERRUN) = overrun;
  *(void **)(info + SIGINFO_VALUE) = value;
  CHECK(syscall(SYS_rt_tgsigqueueinfo, getpid(), (pid_t)syscall(SYS_gettid), signal_number, info) ==
            0, "rt_tgsigqueueinfo: %s", strerror(errno));
}

static uint64_t position_read;

/* The next record if it is there, checked for what all records must be; else NULL. */
static char *next_record(void) {
  char *record = ring + (position_read & (RING - 1));
  uint64_t commit = __atomic_load_n((uint64_t *)record, __ATOMIC_ACQUIRE);
  if (commit == 0) {
    return NULL;
  }
  uint64_t bytes = commit & 0xffffffff;
  CHECK(commit >> 32 == ((position_read >> UNIT_SHIFT) & 0xffffffff), "position %lx of a record at %lx",
        (long)(commit >> 32), (long)position_read);
  CHECK(bytes % UNIT == 0 && bytes >= RECORD_STACK + AT32(record, RECORD_STACK_BYTES) &&
            bytes < RECORD_STACK + AT32(record, RECORD_STACK_BYTES) + UNIT,
        "%ld bytes for %d of stack", (long)bytes, AT32(record, RECORD_STACK_BYTES));
  return record;
}

static void give_back(char *record) {
  uint64_t bytes = *(uint64_t *)record & 0xffffffff;
  for (uint64_t i = 0; i < bytes; i += UNIT) {
    AT64(record, i) = 0;
  }
  position_read += bytes;
  __atomic_store_n((uint64_t *)(process + PROCESS_TAIL), position_read, __ATOMIC_RELEASE);
}

static uint64_t reg(char *record, int index) {
  return AT64(record, RECORD_REGISTERS + 8 * index);
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

static void nothing_in_flight(void) {
  CHECK(AT64(process, PROCESS_IN_FLIGHT) == 0, "%ld in flight", (long)AT64(process, PROCESS_IN_FLIGHT));
}

/* The signal's own frame lies below the interrupted stack pointer: the copy does not contain it. */
static void check_sample(void) {
  volatile uint64_t here[64];
  for (int i = 0; i < 64; i++) {
    here[i] = 0xfeed0000ULL + i;
  }
  uint64_t before = now();
  raise_as(SI_TIMER, 41, block(0));
  uint64_t after = now();
  char *record = next_record();
  CHECK(record != NULL, "no record");
  CHECK(AT64(record, RECORD_IDENTITY) == AT64(block(0), BLOCK_IDENTITY), "identity");
  CHECK(AT32(record, RECORD_OVERRUN) == 41, "overrun %d", AT32(record, RECORD_OVERRUN));
  uint64_t time = AT64(record, RECORD_TIME) * 1000000000ULL + AT64(record, RECORD_TIME + 8);
  CHECK(time >= before && time <= after, "time %ld not in %ld..%ld", (long)time, (long)before, (long)after);
  uint64_t sp = reg(record, SP_INDEX);
  uint64_t end = AT64(block(0), BLOCK_STACK_END);
  uint64_t length = AT32(record, RECORD_STACK_BYTES);
  CHECK(sp <= (uintptr_t)here && sp > (uintptr_t)here - 4096, "sp %lx, here %p", (long)sp, (void *)here);
  CHECK(length == ((end - sp) & -(uint64_t)ROUNDING), "%ld bytes from %lx to %lx", (long)length, (long)sp, (long)end);
  CHECK(memcmp(record + RECORD_STACK + ((uintptr_t)here - sp), (void *)here, sizeof here) == 0, "copy");
  CHECK(memcmp(record + RECORD_STACK + length - 1024, (void *)(end - (end - sp) % ROUNDING - 1024), 1024) == 0,
        "copy at the stack's end");
  CHECK(reg(record, PC_INDEX) != 0, "pc");
  give_back(record);
  CHECK(next_record() == NULL, "a second record");
  nothing_in_flight();
  printf("sample: %ld bytes of stack\n", (long)length);
}

/* All registers, against values that this code has put there. */
static void check_registers(void) {
  char info[128] = {0};
  *(int *)info = signal_number;
  *(int *)(info + SIGINFO_CODE) = SI_TIMER;
  *(void **)(info + SIGINFO_VALUE) = block(0);
  long pid = getpid();
  long tid = syscall(SYS_gettid);
#if defined(__x86_64__)
  register long r10 asm("r10") = (long)info;
  register long r8 asm("r8") = 0x8888;
  register long r9 asm("r9") = 0x9999;
  register long r12 asm("r12") = 0x1212;
  register long r13 asm("r13") = 0x1313;
  register long r14 asm("r14") = 0x1414;
  register long r15 asm("r15") = 0x1515;
  long result = SYS_rt_tgsigqueueinfo;
  asm volatile("syscall" : "+a"(result)
               : "D"(pid), "S"(tid), "d"((long)signal_number), "r"(r10), "r"(r8), "r"(r9),
                 "r"(r12), "r"(r13), "r"(r14), "r"(r15), "b"(0xbbbbL)
               : "rcx", "r11", "memory");
  long expected[17] = {0x8888, 0x9999, (long)info, -1, 0x1212, 0x1313, 0x1414, 0x1515,
                       pid, tid, -1, 0xbbbb, signal_number, 0, -1, -1, -1};
#else
  long expected[33];
  memset(expected, -1, sizeof expected);
  register long x0 asm("x0") = pid;
  register long x1 asm("x1") = tid;
  register long x2 asm("x2") = signal_number;
  register long x3 asm("x3") = (long)info;
  register long x8 asm("x8") = SYS_rt_tgsigqueueinfo;
  register long x9 asm("x9") = 0x9999;
  register long x15 asm("x15") = 0x1515;
  register long x19 asm("x19") = 0x1919;
  register long x25 asm("x25") = 0x2525;
  register long x28 asm("x28") = 0x2828;
  asm volatile("svc #0" : "+r"(x0)
               : "r"(x1), "r"(x2), "r"(x3), "r"(x8), "r"(x9), "r"(x15), "r"(x19), "r"(x25), "r"(x28)
               : "memory");
  long result = x0;
  expected[0] = 0;
  expected[1] = tid;
  expected[2] = signal_number;
  expected[3] = (long)info;
  expected[8] = SYS_rt_tgsigqueueinfo;
  expected[9] = 0x9999;
  expected[15] = 0x1515;
  expected[19] = 0x1919;
  expected[25] = 0x2525;
  expected[28] = 0x2828;
#endif
  CHECK(result == 0, "result %ld", result);
  char *record = next_record();
  CHECK(record != NULL, "no record");
  for (int i = 0; i < REGISTERS; i++) {
    CHECK(expected[i] == -1 || (uint64_t)expected[i] == reg(record, i), "register %d: %lx", i, (long)reg(record, i));
  }
  give_back(record);
  printf("registers: as planted\n");
}

static uint64_t stack_bytes_of_one(void) {
  raise_as(SI_TIMER, 0, block(0));
  char *record = next_record();
  CHECK(record != NULL, "no record");
  uint64_t bytes = AT32(record, RECORD_STACK_BYTES);
  give_back(record);
  return bytes;
}

static void check_bounds(void) {
  uint64_t start = AT64(block(0), BLOCK_STACK_START);
  uint64_t end = AT64(block(0), BLOCK_STACK_END);
  uint64_t limit = AT64(process, PROCESS_STACK_LIMIT);
  CHECK(stack_bytes_of_one() > 0, "nothing copied");
  AT64(block(0), BLOCK_STACK_END) = 0;
  CHECK(stack_bytes_of_one() == 0, "copied without an end");
  AT64(block(0), BLOCK_STACK_END) = (uintptr_t)__builtin_frame_address(0) - 65536;
  CHECK(stack_bytes_of_one() == 0, "copied above the stack");
  AT64(block(0), BLOCK_STACK_END) = end;
  AT64(block(0), BLOCK_STACK_START) = (uintptr_t)__builtin_frame_address(0) + 64;
  CHECK(stack_bytes_of_one() == 0, "copied below the stack");
  AT64(block(0), BLOCK_STACK_START) = start;
  AT64(process, PROCESS_STACK_LIMIT) = 1024;
  CHECK(stack_bytes_of_one() == 1024, "limit");
  AT64(process, PROCESS_STACK_LIMIT) = limit;
  AT64(process, PROCESS_CLOCK) = 0;
  raise_as(SI_TIMER, 0, block(0));
  char *record = next_record();
  CHECK(AT64(record, RECORD_TIME) == 0 && AT64(record, RECORD_TIME + 8) == 0, "time without a clock");
  give_back(record);
  AT64(process, PROCESS_CLOCK) = (uintptr_t)&clock_gettime;
  nothing_in_flight();
  printf("bounds: kept\n");
}

static void foreign(const char *what, int code, void *value) {
  int calls = old_calls;
  raise_as(code, 0, value);
  CHECK(old_calls == calls + 1, "%s: the old handler was called %d times", what, old_calls - calls);
  CHECK(old_signo == signal_number && old_code == code && old_value == value && old_context != 0,
        "%s: signal %d, code %d, value %p", what, old_signo, old_code, old_value);
  CHECK(next_record() == NULL, "%s: sampled", what);
}

static void check_chaining(void) {
  uint64_t counted = AT64(process, PROCESS_FOREIGN);
  int calls = old_calls;
  foreign("queued", SI_QUEUE, block(0));
  foreign("another timer", SI_TIMER, (void *)0x1234);
  foreign("below the blocks", SI_TIMER, blocks - BLOCK_BYTES);
  foreign("above the blocks", SI_TIMER, block(BLOCKS));
  foreign("between the blocks", SI_TIMER, block(0) + 8);
  foreign("a free block", SI_TIMER, block(BLOCKS - 1));
  kill(getpid(), signal_number);
  CHECK(old_calls == calls + 7 && old_code == SI_USER, "kill: code %d", old_code);
  AT64(process, PROCESS_OLD_HANDLER) = 0;
  kill(getpid(), signal_number);
  CHECK(old_calls == calls + 7, "the old handler was called");
  AT64(process, PROCESS_OLD_HANDLER) = (uintptr_t)old_handler;
  CHECK(AT64(process, PROCESS_FOREIGN) == counted + 8, "foreign: %ld", (long)(AT64(process, PROCESS_FOREIGN) - counted));
  AT64(process, PROCESS_ENABLED) = 0;
  raise_as(SI_TIMER, 0, block(0));
  CHECK(next_record() == NULL && old_calls == calls + 7, "a late signal did something");
  AT64(process, PROCESS_ENABLED) = 1;
  nothing_in_flight();
  printf("chaining: held\n");
}

/* Fills the ring, and overfills it; then goes round it a few times. */
static void check_full(void) {
  uint64_t dropped = AT64(process, PROCESS_DROPPED);
  uint64_t expiries = AT64(process, PROCESS_DROPPED_EXPIRIES);
  int taken = 0;
  while (AT64(process, PROCESS_DROPPED) == dropped) {
    raise_as(SI_TIMER, 2, block(0));
    taken++;
  }
  raise_as(SI_TIMER, 7, block(0));
  CHECK(AT64(process, PROCESS_DROPPED) == dropped + 2, "dropped");
  CHECK(AT64(process, PROCESS_DROPPED_EXPIRIES) == expiries + 3 + 8, "dropped expiries");
  CHECK(AT64(process, PROCESS_HEAD) - AT64(process, PROCESS_TAIL) <= RING, "overfilled");
  int read = 0;
  for (char *record; (record = next_record()) != NULL; read++) {
    give_back(record);
  }
  CHECK(read == taken - 1, "%d of %d records", read, taken - 1);
  for (int i = 0; i < 10000; i++) {
    AT64(process, PROCESS_STACK_LIMIT) = (i * 16) % 20000 & -16;
    raise_as(SI_TIMER, i, block(0));
    char *record = next_record();
    CHECK(record != NULL && AT32(record, RECORD_OVERRUN) == (uint32_t)i, "record %d", i);
    uint64_t sp = reg(record, SP_INDEX);
    uint64_t length = AT32(record, RECORD_STACK_BYTES);
    /* What has changed since is below this function's frame. */
    uint64_t skip = (uintptr_t)__builtin_frame_address(0) - sp;
    CHECK(length <= skip || memcmp(record + RECORD_STACK + skip, (char *)sp + skip, length - skip) == 0, "copy %d", i);
    give_back(record);
  }
  AT64(process, PROCESS_STACK_LIMIT) = 65536;
  nothing_in_flight();
  printf("ring: %d records fill it, 10000 went round\n", read);
}

struct worker {
  pthread_t thread;
  int index;
  volatile int ready;
  uint64_t raised;
  uint64_t cpu;
  volatile int timer;
};

static volatile int go;
static volatile int stop;

static uint64_t thread_cpu(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

/* Stack contents that name their thread; the workers' loops run below it. */
static void *worker(void *argument) {
  struct worker *self = argument;
  volatile uint64_t mark[128];
  for (int i = 0; i < 128; i++) {
    mark[i] = 0x5afe00000000ULL + (self->index << 16) + i;
  }
  stack_of_self(self->index);
  AT64(block(self->index), BLOCK_IDENTITY) = 1000 + self->index;
  AT64(block(self->index), BLOCK_MAGIC) = MAGIC_VALUE;
  self->ready = 1;
  while (!go) {
    usleep(100);
  }
  if (go == 1) {
    for (int i = 0; i < 20000; i++) {
      raise_as(SI_TIMER, 0, block(self->index));
      self->raised++;
    }
  } else {
    volatile uint64_t x = mark[0];
    for (uint64_t i = 1; self->cpu < 700000000ULL; i++) {
      x = x * 31 + i;
      if (i % 100000 == 0) {
        self->cpu = thread_cpu();
      }
    }
    // What ends the thread runs where the marks are: no sample may be taken there.
    CHECK(syscall(SYS_timer_delete, self->timer) == 0, "timer_delete: %s", strerror(errno));
  }
  __atomic_add_fetch(&stop, 1, __ATOMIC_SEQ_CST);
  return (void *)mark[1];
}

/* Finds the thread's marks in the copy: where one is, all must be. */
static int has_marks(char *record, int index) {
  uint64_t *words = (uint64_t *)(record + RECORD_STACK);
  int count = AT32(record, RECORD_STACK_BYTES) / 8;
  for (int i = 0; i + 128 <= count; i++) {
    if (words[i] == 0x5afe00000000ULL + (index << 16)) {
      int j = 0;
      while (j < 128 && words[i + j] == words[i] + j) {
        j++;
      }
      if (j == 128) {
        return 1;
      }
    }
  }
  return 0;
}

static void run_workers(int mode, struct worker *workers, uint64_t interval) {
  uint64_t records[THREADS] = {0};
  uint64_t weights[THREADS] = {0};
  uint64_t dropped = AT64(process, PROCESS_DROPPED);
  go = stop = 0;
  for (int i = 0; i < THREADS; i++) {
    memset(&workers[i], 0, sizeof workers[i]);
    workers[i].index = i + 1;
    CHECK(pthread_create(&workers[i].thread, NULL, worker, &workers[i]) == 0, "pthread_create");
    while (!workers[i].ready) {
      usleep(100);
    }
    if (mode == 2) {
      clockid_t clock;
      pthread_getcpuclockid(workers[i].thread, &clock);
      struct sigevent event = {0};
      event.sigev_value.sival_ptr = block(i + 1);
      event.sigev_signo = signal_number;
      event.sigev_notify = SIGEV_THREAD_ID;
      event._sigev_un._tid = -(clock >> 3) - 1;
      int id;
      CHECK(syscall(SYS_timer_create, clock, &event, &id) == 0, "timer_create: %s", strerror(errno));
      workers[i].timer = id;
      struct itimerspec spec = {{0, interval}, {0, interval}};
      CHECK(syscall(SYS_timer_settime, id, 0, &spec, NULL) == 0, "timer_settime: %s", strerror(errno));
    }
  }
  go = mode;
  for (;;) {
    int ended = __atomic_load_n(&stop, __ATOMIC_SEQ_CST) == THREADS;
    char *record = next_record();
    if (record == NULL) {
      if (ended) {
        break;
      }
      usleep(200);
      continue;
    }
    int index = AT64(record, RECORD_IDENTITY) - 1000;
    CHECK(index >= 1 && index <= THREADS, "identity %d", index);
    CHECK(has_marks(record, index), "the stack of thread %d lacks its marks (%d bytes)", index,
          AT32(record, RECORD_STACK_BYTES));
    records[index - 1]++;
    weights[index - 1] += 1 + AT32(record, RECORD_OVERRUN);
    give_back(record);
  }
  uint64_t all = 0;
  uint64_t raised = 0;
  double shares = 0;
  for (int i = 0; i < THREADS; i++) {
    pthread_join(workers[i].thread, NULL);
    all += records[i];
    raised += workers[i].raised;
    if (mode == 2) {
      double share = (double)weights[i] * interval / workers[i].cpu;
      printf("  thread %d: %ld samples weigh %.3f of its CPU time\n", i + 1, (long)records[i], share);
      CHECK(share > LEAST_SHARE && share < 1.02, "weights");
      shares += share;
    }
  }
  dropped = AT64(process, PROCESS_DROPPED) - dropped;
  if (mode == 1) {
    CHECK(all + dropped == raised, "%ld + %ld of %ld", (long)all, (long)dropped, (long)raised);
    printf("storm: %ld records, %ld dropped, none lost or torn\n", (long)all, (long)dropped);
  } else {
    CHECK(shares > 0.95 * THREADS, "weights of all");
    printf("timers: %ld records\n", (long)all);
  }
  nothing_in_flight();
}

/*
 * Fills all vector registers from in, spins, and stores them to out: a handler that runs meanwhile
 * must leave them as they are. Returns the bytes, 0 if this processor has no such registers.
 */
#define REPEAT8(f, a) f(a##0) f(a##1) f(a##2) f(a##3) f(a##4) f(a##5) f(a##6) f(a##7)
#define REPEAT10(f, a) REPEAT8(f, a) f(a##8) f(a##9)
#define UP_TO_15(f) REPEAT10(f, ) f(10) f(11) f(12) f(13) f(14) f(15)
#define UP_TO_31(f) REPEAT10(f, ) REPEAT10(f, 1) REPEAT10(f, 2) f(30) f(31)
#define SPINS 300000

#if defined(__x86_64__)
#define LOAD_YMM(n) "vmovdqu 32*" #n "(%0), %%ymm" #n "\n"
#define STORE_YMM(n) "vmovdqu %%ymm" #n ", 32*" #n "(%1)\n"
#define LOAD_ZMM(n) "vmovdqu64 64*" #n "(%0), %%zmm" #n "\n"
#define STORE_ZMM(n) "vmovdqu64 %%zmm" #n ", 64*" #n "(%1)\n"
#define SPIN "mov %2, %%rcx\n1: dec %%rcx\njnz 1b\n"

__attribute__((target("avx"))) static int ymm(char *in, char *out) {
  asm volatile(UP_TO_15(LOAD_YMM) SPIN UP_TO_15(STORE_YMM) "vzeroupper\n"
               :
               : "r"(in), "r"(out), "i"(SPINS)
               : "rcx", "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                 "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
  return __builtin_cpu_supports("avx") ? 16 * 32 : 0;
}

__attribute__((target("avx512f"))) static int zmm(char *in, char *out) {
  asm volatile(UP_TO_31(LOAD_ZMM) SPIN UP_TO_31(STORE_ZMM) "vzeroupper\n"
               :
               : "r"(in), "r"(out), "i"(SPINS)
               : "rcx", "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                 "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "xmm16", "xmm17",
                 "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26",
                 "xmm27", "xmm28", "xmm29", "xmm30", "xmm31");
  return 32 * 64;
}

static int through_vectors(char *in, char *out) {
  if (__builtin_cpu_supports("avx512f")) {
    return zmm(in, out);
  }
  return __builtin_cpu_supports("avx") ? ymm(in, out) : 0;
}
#else
#define VECTORS                                                                                       \
  "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", \
      "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", \
      "v30", "v31"
#define LOAD_Q(n) "ldr q" #n ", [%0, #16*" #n "]\n"
#define STORE_Q(n) "str q" #n ", [%1, #16*" #n "]\n"
#define LOAD_Z(n) "ldr z" #n ", [%0, #" #n ", mul vl]\n"
#define STORE_Z(n) "str z" #n ", [%1, #" #n ", mul vl]\n"
#define LOAD_P(n) "ldr p" #n ", [%3, #" #n ", mul vl]\n"
#define STORE_P(n) "str p" #n ", [%4, #" #n ", mul vl]\n"
#define SPIN "mov x9, %2\n1: subs x9, x9, #1\nb.ne 1b\n"

static int through_vectors(char *in, char *out) {
  long spins = SPINS;
  if (!(getauxval(AT_HWCAP) & HWCAP_SVE)) {
    asm volatile(UP_TO_31(LOAD_Q) SPIN UP_TO_31(STORE_Q)
                 :
                 : "r"(in), "r"(out), "r"(spins)
                 : "x9", "cc", "memory", VECTORS);
    return 32 * 16;
  }
  // The first-fault register last in, and first out, through a predicate.
  int bytes = prctl(PR_SVE_GET_VL) & PR_SVE_VL_LEN_MASK;
  char *predicates_in = in + 32 * bytes;
  char *predicates_out = out + 32 * bytes;
  memset(predicates_in, 0xff, bytes / 8); // it holds ones, followed by zeros
  asm volatile(".arch_extension sve\n"
               "ldr p0, [%3]\nwrffr p0.b\n" UP_TO_31(LOAD_Z) UP_TO_15(LOAD_P) SPIN UP_TO_31(STORE_Z)
                   UP_TO_15(STORE_P) "rdffr p0.b\nstr p0, [%4]\n"
               :
               : "r"(in), "r"(out), "r"(spins), "r"(predicates_in), "r"(predicates_out)
               : "x9", "cc", "memory", VECTORS);
  return 32 * bytes + 16 * bytes / 8;
}
#endif

static int timer_of_self(clockid_t clock) {
  struct sigevent event = {0};
  event.sigev_value.sival_ptr = block(0);
  event.sigev_signo = signal_number;
  event.sigev_notify = SIGEV_THREAD_ID;
  event._sigev_un._tid = syscall(SYS_gettid);
  int id;
  CHECK(syscall(SYS_timer_create, clock, &event, &id) == 0, "timer_create: %s", strerror(errno));
  struct itimerspec spec = {{0, 5000000}, {0, 5000000}};
  CHECK(syscall(SYS_timer_settime, id, 0, &spec, NULL) == 0, "timer_settime: %s", strerror(errno));
  return id;
}

static int records_so_far(void) {
  int records = 0;
  for (char *record; (record = next_record()) != NULL; records++) {
    give_back(record);
  }
  return records;
}

static void check_vectors(void) {
  static _Alignas(64) char in[65536];
  static _Alignas(64) char out[65536];
  int bytes = 0;
  int timer = timer_of_self(CLOCK_THREAD_CPUTIME_ID);
  int records = 0;
  uint64_t begin = thread_cpu();
  for (int round = 1; thread_cpu() - begin < 1000000000ULL; round++) {
    for (size_t i = 0; i < sizeof in; i++) {
      in[i] = i * 7 + round;
    }
    bytes = through_vectors(in, out);
    CHECK(memcmp(in, out, bytes) == 0, "vector registers have changed in round %d", round);
    records += records_so_far();
  }
  CHECK(syscall(SYS_timer_delete, timer) == 0, "timer_delete: %s", strerror(errno));
  CHECK(records > 50, "%d samples of vector registers", records);
  records_so_far();
  printf("vector registers: %d bytes are as before in %d samples\n", bytes, records);
}

static void *writer(void *pipe) {
  usleep(300000);
  CHECK(write(*(int *)pipe, "x", 1) == 1, "write");
  return NULL;
}

/* A system call that a sample interrupts goes on: its caller sees nothing. */
static void check_restart(void) {
  int ends[2];
  pthread_t thread;
  CHECK(pipe(ends) == 0, "pipe");
  CHECK(pthread_create(&thread, NULL, writer, &ends[1]) == 0, "pthread_create");
  int timer = timer_of_self(CLOCK_MONOTONIC);
  char byte = 0;
  ssize_t count = read(ends[0], &byte, 1);
  CHECK(syscall(SYS_timer_delete, timer) == 0, "timer_delete: %s", strerror(errno));
  int records = records_so_far();
  CHECK(count == 1 && byte == 'x', "read has returned %ld: %s", (long)count, strerror(errno));
  CHECK(records > 10, "%d samples of a thread that reads", records);
  pthread_join(thread, NULL);
  printf("system calls: a read goes on after %d samples\n", records);
}

/* From here on no memory can become executable that was not when it was mapped (Linux 6.3). */
static void refuse_gains(void) {
  if (prctl(65 /* PR_SET_MDWE */, 1 /* PR_MDWE_REFUSE_EXEC_GAIN */, 0, 0, 0) != 0) {
    printf("no PR_SET_MDWE here: %s\n", strerror(errno));
    return;
  }
  CHECK(mprotect(zeroed(4096), 4096, PROT_READ | PROT_EXEC) != 0, "mprotect to executable is not refused");
  printf("mprotect to executable is refused\n");
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  CHECK(argc == 2, "usage: handler_harness CODE");
  refuse_gains();
  process = zeroed(4096);
  blocks = (char *)zeroed(3 * 4096) + 4096;
  ring = map_ring();
  AT64(process, PROCESS_RING) = (uintptr_t)ring;
  AT64(process, PROCESS_RING_BYTES) = RING;
  AT64(process, PROCESS_CLOCK) = (uintptr_t)&clock_gettime;
  AT64(process, PROCESS_BLOCKS) = (uintptr_t)blocks;
  AT64(process, PROCESS_BLOCKS_BYTES) = BLOCKS * BLOCK_BYTES;
  AT64(process, PROCESS_STACK_LIMIT) = 65536;
  AT64(process, PROCESS_MAGIC) = MAGIC_VALUE;
  AT64(process, PROCESS_OLD_HANDLER) = (uintptr_t)old_handler;
  AT64(process, PROCESS_ENABLED) = 1;
  AT64(block(0), BLOCK_MAGIC) = MAGIC_VALUE;
  AT64(block(0), BLOCK_IDENTITY) = 0x7700001234ULL;
  stack_of_self(0);
  signal_number = SIGRTMAX - 4;
  struct sigaction action = {0};
  action.sa_sigaction = install_code(argv[1]);
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  CHECK(sigaction(signal_number, &action, NULL) == 0, "sigaction: %s", strerror(errno));

  struct worker workers[THREADS];
  check_sample();
  check_registers();
  check_bounds();
  check_chaining();
  check_full();
  run_workers(1, workers, 0);
  run_workers(2, workers, 1000000);
  check_vectors();
  check_restart();
  printf("all held\n");
  return 0;
}
