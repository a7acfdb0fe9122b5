/* Works in a chain of known calls while a timer of its own CPU time interrupts it. */
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

volatile unsigned long sum;

static void interrupted(int signal) { (void)signal; }

__attribute__((noipa)) void leaf(unsigned rounds) {
  for (unsigned i = 0; i < rounds; i++) {
    sum = sum * 31 + i;
  }
}

__attribute__((noipa)) void middle(unsigned rounds) {
  leaf(rounds);
  sum++;
}

__attribute__((noipa)) void outer(unsigned rounds) {
  middle(rounds);
  sum++;
}

int main(void) {
  struct sigaction action = {.sa_handler = interrupted, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &action, 0);
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
  timer_t timer;
  timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer);
  struct itimerspec time = {{0, 4000000}, {0, 4000000}};
  timer_settime(timer, 0, &time, 0);
  puts("started");
  fflush(stdout);
  while (clock() < 20 * CLOCKS_PER_SEC && getppid() != 1) {
    outer(20000);
  }
  return 0;
}
