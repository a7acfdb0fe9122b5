/* Executes a shell at SIGUSR1, and leaves a child that shares the memory it had before. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <unistd.h>

static volatile int told;
static char stack[65536];

static void tell(int signal) { told = 1; }

static int child(void *unused) { sleep(600); return 0; }

int main(int count, char **words) {
  signal(SIGUSR1, tell);
  while (!told) { }
  clone(child, stack + sizeof stack, CLONE_VM, 0);
  execl("/bin/sh", "sh", "-c", words[1], (char *) 0);
  return 1;
}
