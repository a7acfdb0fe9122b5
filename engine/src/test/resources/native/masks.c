/* Threads that block signals, for SignalMaskIT; and as a program: masks COMMAND... blocks all signals
   and runs the command, which inherits that. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile int tid;
static volatile int strange;
static volatile int expected;
static volatile int ready;
static volatile int done;
static volatile int job_ms;

int masked_tid(void) { return tid; }
int strange_signals(void) { return strange; }
int expected_signals(void) { return expected; }

static void burn(int ms) {
  struct timespec start, now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
  do {
    for (volatile int j = 0; j < 20000; j++) {
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < ms);
}

static void *burner(void *argument) {
  tid = syscall(SYS_gettid);
  burn(job_ms);
  return NULL;
}

static void *waiter(void *argument) {
  sigset_t all;
  sigfillset(&all);
  tid = syscall(SYS_gettid);
  ready = 1;
  while (!done) {
    siginfo_t info;
    int signal = sigwaitinfo(&all, &info);
    if (signal == SIGUSR2) {
      expected++;
    } else {
      strange++;
    }
    burn(job_ms);
  }
  return NULL;
}

/* Creates a thread that has everything blocked from its birth. */
static pthread_t masked(void *(*body)(void *)) {
  sigset_t all, before;
  pthread_t thread;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_create(&thread, NULL, body, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return thread;
}

/* A thread that blocks all signals and burns. */
int masked_burner(int ms) {
  job_ms = ms;
  pthread_t thread = masked(burner);
  return pthread_join(thread, NULL);
}

/* Whether the thread has come into the call that opens its mask: until then it blocks all. */
static int is_open(void) {
  char path[64], line[256];
  int open = 0;
  snprintf(path, sizeof path, "/proc/self/task/%d/status", tid);
  FILE *status = fopen(path, "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL) {
    open |= strcmp(line, "SigBlk:\t0000000000000000\n") == 0;
  }
  if (status != NULL) {
    fclose(status);
  }
  return open;
}

static pthread_t sigwaiter;

/* A thread that waits for all signals and burns 30 ms after each. */
int start_waiter(int ms) {
  job_ms = 30;
  done = ready = strange = expected = 0;
  sigwaiter = masked(waiter);
  while (!ready || !is_open()) {
    usleep(1000);
  }
  return 0;
}

int wake_waiter(int times) {
  for (int i = 0; i < times; i++) {
    pthread_kill(sigwaiter, SIGUSR2);
    usleep(60000);
  }
  return 0;
}

int end_waiter(int times) {
  done = 1;
  pthread_kill(sigwaiter, SIGUSR2);
  return pthread_join(sigwaiter, NULL);
}

int main(int argc, char **argv) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  execvp(argv[1], argv + 1);
  perror(argv[1]);
  return 2;
}
