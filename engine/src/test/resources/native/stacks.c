/* Threads on stacks of all kinds, for StackProbe: each function runs one of them to its end. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define PIECE (256 * 1024)

/* What a thread burns on its own stack first: whoever looks for threads finds it there. */
#define AT_HOME_MS 250

/* What the last thread was, and where it was when it burnt. */
static volatile int tid;
static volatile long low;
static volatile long high;

int last_tid(void) { return tid; }
long stack_low(void) { return low; }
long stack_high(void) { return high; }

static long cpu_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

__attribute__((noinline)) static void burn(int ms) {
  long end = cpu_ms() + ms;
  do {
    for (volatile int i = 0; i < 20000; i++) {
    }
  } while (cpu_ms() < end);
}

static char *pool(int pieces) {
  char *memory = mmap(NULL, (size_t)pieces * PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    abort();
  }
  memset(memory, 0, (size_t)pieces * PIECE);
  return memory;
}

static ucontext_t home;
static ucontext_t away;
static int away_ms;

static void coroutine(void) { burn(away_ms); }

/* Burns on a piece of a pool, as a coroutine of the calling thread. */
static void burn_on(char *stack, int ms) {
  away_ms = ms;
  getcontext(&away);
  away.uc_stack.ss_sp = stack;
  away.uc_stack.ss_size = PIECE;
  away.uc_link = &home;
  makecontext(&away, coroutine, 0);
  low = (long)stack;
  high = (long)stack + PIECE;
  swapcontext(&home, &away);
}

struct job {
  void (*body)(struct job *);
  char *memory;
  int ms;
};

static void *run_job(void *argument) {
  struct job *job = argument;
  tid = syscall(SYS_gettid);
  job->body(job);
  return NULL;
}

/* A thread on a stack of our own, or with stack NULL on one of the C library's without a guard. */
static int run(struct job *job, char *stack, size_t size) {
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  if (stack != NULL) {
    pthread_attr_setstack(&attributes, stack, size);
  } else {
    pthread_attr_setguardsize(&attributes, 0);
    pthread_attr_setstacksize(&attributes, size);
  }
  int error = pthread_create(&thread, &attributes, run_job, job);
  pthread_attr_destroy(&attributes);
  return error != 0 ? error : pthread_join(thread, NULL);
}

/* The piece in the middle goes while the coroutine is on the lowest. */
static void below_a_hole(struct job *job) {
  burn(AT_HOME_MS);
  munmap(job->memory + PIECE, PIECE);
  burn_on(job->memory, job->ms);
}

/* The thread's stack, an idle one and the coroutine's in one pool, without guards. */
int coroutine_in_the_pool(int ms) {
  struct job job = {below_a_hole, pool(3), ms};
  return run(&job, job.memory + 2 * PIECE, PIECE);
}

static void own_stack(char **start, size_t *size) {
  pthread_attr_t attributes;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, (void **)start, size);
  pthread_attr_destroy(&attributes);
}

/* Pool pieces mapped right below the stack that the C library gave. */
static void below_the_library_s(struct job *job) {
  char *start;
  size_t size;
  own_stack(&start, &size);
  char *memory = mmap(start - 2 * PIECE, 2 * PIECE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_FIXED_NOREPLACE, -1, 0);
  if (memory != start - 2 * PIECE) {
    low = -1; /* something else is there */
    return;
  }
  job->memory = memory;
  below_a_hole(job);
}

int coroutine_below_the_stack(int ms) {
  int error = 0;
  low = -1;
  /* Each size is another place; the first one that has room below does. */
  for (int i = 0; i < 100 && low == -1 && error == 0; i++) {
    struct job job = {below_the_library_s, NULL, ms};
    low = 0;
    error = run(&job, NULL, PIECE + i * 16384);
  }
  return error;
}

/* One mapping: the coroutine's stack, a guard that maps do not show, the thread's stack. */
static void below_a_guard(struct job *job) {
  if (madvise(job->memory + PIECE, 4096, 102 /* MADV_GUARD_INSTALL, Linux 6.13 */) != 0) {
    low = -1;
    return;
  }
  burn(AT_HOME_MS);
  burn_on(job->memory, job->ms);
}

int coroutine_below_a_guard(int ms) {
  struct job job = {below_a_guard, pool(3), ms};
  return run(&job, job.memory + 2 * PIECE, PIECE);
}

/* The same on the calling thread, whoever made it: below is what is mapped there. */
int coroutine_of_the_caller(int ms) {
  char *memory = pool(1);
  tid = syscall(SYS_gettid);
  burn(AT_HOME_MS);
  burn_on(memory, ms);
  munmap(memory, PIECE);
  return 0;
}

static volatile int burnt;

static void burning_handler(int signal) {
  burn(away_ms);
  burnt = signal;
}

/* A signal's handler on a stack of its own, in the pool below a hole. */
static void on_the_signal_stack(struct job *job) {
  stack_t alternate = {.ss_sp = job->memory, .ss_size = PIECE};
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = burning_handler;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGURG, &action, NULL);
  sigaltstack(&alternate, NULL);
  burn(AT_HOME_MS);
  munmap(job->memory + PIECE, PIECE);
  low = (long)job->memory;
  high = low + PIECE;
  away_ms = job->ms;
  syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGURG);
}

int signal_stack(int ms) {
  struct job job = {on_the_signal_stack, pool(3), ms};
  return run(&job, job.memory + 2 * PIECE, PIECE);
}

static void at_home(struct job *job) {
  low = (long)job->memory;
  high = low + PIECE;
  burn(job->ms);
}

/* Nothing special but whose memory it is; a neighbour lies on either side. */
int supplied_stack(int ms) {
  struct job job = {at_home, pool(3) + PIECE, ms};
  return run(&job, job.memory, PIECE);
}

/* Most of the least stack that pthread_create takes: what is left is less than a signal's frame.
   (Nor does a symbol's first call fit, so all were called before.) */
static void almost_full(struct job *job) {
  volatile char used[10000];
  for (size_t i = 0; i < sizeof used; i += 64) {
    used[i] = 1;
  }
  low = (long)used;
  high = low + sizeof used;
  burn(job->ms);
}

int small_stack(int ms) {
  cpu_ms();
  struct job job = {almost_full, NULL, ms};
  return run(&job, NULL, PTHREAD_STACK_MIN);
}

int small_supplied_stack(int ms) {
  cpu_ms();
  struct job job = {almost_full, pool(3), ms};
  return run(&job, job.memory, PTHREAD_STACK_MIN);
}

/* The memory is a file's, which may be cut while the thread runs: nobody knows that it can be read. */
int stack_in_a_file(int ms) {
  int fd = syscall(SYS_memfd_create, "stack", 0);
  if (fd < 0 || ftruncate(fd, PIECE) != 0) {
    return errno;
  }
  char *memory = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  struct job job = {at_home, memory, ms};
  return run(&job, memory, PIECE);
}

static volatile int raw_done;

static int raw_body(void *argument) {
  /* No thread descriptor of its own: nothing of the C library that needs one. */
  volatile long x = 0;
  long rounds = (long)argument;
  for (long i = 0; i < rounds; i++) {
    x = x * 31 + i;
  }
  raw_done = 1;
  syscall(SYS_exit, 0);
  return 0;
}

/* A thread that the C library does not know of. It lives on the upper of two pieces. */
int raw_thread(int ms) {
  char *memory = pool(2);
  long rounds = 200000;
  struct timespec a, b;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
  volatile long x = 0;
  for (long i = 0; i < rounds; i++) {
    x = x * 31 + i;
  }
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
  long nanos = (b.tv_sec - a.tv_sec) * 1000000000L + b.tv_nsec - a.tv_nsec + 1;
  rounds = (long)((double)rounds * ms * 1e6 / nanos);
  raw_done = 0;
  low = (long)memory + PIECE;
  high = low + PIECE;
  int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
  int child = clone(raw_body, memory + 2 * PIECE, flags, (void *)rounds);
  if (child < 0) {
    return errno;
  }
  tid = child;
  while (!raw_done) {
    usleep(1000);
  }
  usleep(20000);
  return 0;
}
