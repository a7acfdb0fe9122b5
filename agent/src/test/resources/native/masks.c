/* Threads that block signals, for MaskProbe; and as a program: masks COMMAND... blocks all signals
   and runs the command, which inherits that. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
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

static volatile int turning;
static volatile int turned;

/* Has all signals blocked; computes and waits for any signal, in turns. */
static void *turner(void *argument) {
  const struct timespec moment = {0, 500000};
  sigset_t all;
  sigfillset(&all);
  tid = syscall(SYS_gettid);
  while (turning) {
    turned++;
    burn(1);
    if (sigtimedwait(&all, NULL, &moment) > 0) {
      strange++;
    }
  }
  return NULL;
}

static pthread_t turns;

int start_turner(int unused) {
  turning = 1;
  turned = strange = 0;
  turns = masked(turner);
  while (turned < 2) {
    usleep(1000);
  }
  return 0;
}

int end_turner(int unused) {
  turning = 0;
  return pthread_join(turns, NULL);
}

/* Calls that open the mask as long as they last, in the order of MaskedCall in SignalMaskIT. */
enum { SUSPEND, PPOLL, PSELECT, EPOLL_PWAIT, EPOLL_PWAIT2, IO_PGETEVENTS, IO_URING_ENTER };

static volatile int masked_call;
static volatile int refused;

static void woken(int signal) {}

/* Has all signals blocked, and sleeps in one of the calls above, which blocks none. */
static void *sleeper(void *argument) {
  sigset_t none;
  sigemptyset(&none);
  tid = syscall(SYS_gettid);
  ready = 1;
  long result = 0;
  switch (masked_call) {
    case SUSPEND:
      result = sigsuspend(&none);
      break;
    case PPOLL:
      result = ppoll(NULL, 0, NULL, &none);
      break;
    case PSELECT:
      result = pselect(0, NULL, NULL, NULL, NULL, &none);
      break;
    case EPOLL_PWAIT: {
      struct epoll_event event;
      result = epoll_pwait(epoll_create1(EPOLL_CLOEXEC), &event, 1, -1, &none);
      break;
    }
    case EPOLL_PWAIT2: {
      struct epoll_event event;
      result = syscall(441, epoll_create1(EPOLL_CLOEXEC), &event, 1, NULL, &none, 8);
      break;
    }
    case IO_PGETEVENTS: {
      aio_context_t context = 0;
      struct io_event event;
      struct { const sigset_t *set; size_t bytes; } set = {&none, 8};
      result = syscall(SYS_io_setup, 1, &context);
      if (result == 0) {
        result = syscall(SYS_io_pgetevents, context, 1L, 1L, &event, NULL, &set);
      }
      break;
    }
    case IO_URING_ENTER: {
      struct io_uring_params parameters;
      memset(&parameters, 0, sizeof parameters);
      result = syscall(SYS_io_uring_setup, 2, &parameters);
      if (result >= 0) {
        result = syscall(SYS_io_uring_enter, result, 0, 1, IORING_ENTER_GETEVENTS, &none, 8);
      }
      break;
    }
  }
  refused = result < 0 && errno != EINTR ? errno : 0;
  done = 1;
  return NULL;
}

static pthread_t sleeps;

/* 0, or why the kernel has no such call. */
int start_sleeper(int call) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = woken;
  sigaction(SIGRTMIN + 5, &action, NULL);
  masked_call = call;
  ready = done = refused = 0;
  sleeps = masked(sleeper);
  while (!done && (!ready || !is_open())) {
    usleep(1000);
  }
  if (done) {
    pthread_join(sleeps, NULL);
    return refused;
  }
  return 0;
}

int end_sleeper(int unused) {
  pthread_kill(sleeps, SIGRTMIN + 5);
  return pthread_join(sleeps, NULL);
}

int main(int argc, char **argv) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  execvp(argv[1], argv + 1);
  perror(argv[1]);
  return 2;
}
