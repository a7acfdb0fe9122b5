/* What other code does with signals and blocking calls, for TimerEngineIT. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile int calls;
static volatile int last_code;
static volatile long last_value;

static void handler(int signal, siginfo_t *info, void *context) {
  calls++;
  last_code = info->si_code;
  last_value = (long)info->si_value.sival_ptr;
}

int install(int signal) {
  struct sigaction action;
  calls = 0; /* timers of an engine that was taken over may have called it in an earlier test */
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  return sigaction(signal, &action, NULL);
}

/* 0 default, 1 ignored, 2 the handler above, 3 somebody else's. */
int disposition(int signal) {
  struct sigaction action;
  sigaction(signal, NULL, &action);
  return action.sa_handler == SIG_DFL ? 0 : action.sa_handler == SIG_IGN ? 1 : action.sa_sigaction == handler ? 2 : 3;
}

int to_default(int signal) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  return sigaction(signal, &action, NULL);
}

int handled(void) { return calls; }
int code(void) { return last_code; }
long value(void) { return last_value; }

/* Sent to the calling thread: handled before this returns. */
int send_kill(int signal) { return syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal); }

int send_value(int signal, long value) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_value.sival_ptr = (void *)value;
  return syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), signal, &info);
}

/* Burns so much CPU time, then blocks in poll: returns how often poll failed with EINTR. */
int burn_and_block(int rounds, int burn_ms, int block_ms) {
  int interrupted = 0;
  for (int i = 0; i < rounds; i++) {
    struct timespec start, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    do {
      for (volatile int j = 0; j < 20000; j++) {
      }
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < burn_ms);
    if (poll(NULL, 0, block_ms) < 0 && errno == EINTR) {
      interrupted++;
    }
  }
  return interrupted;
}
