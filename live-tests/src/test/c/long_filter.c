/*
 * long_filter COMMAND ARGS...: runs the command under a seccomp filter that allows everything, and
 * takes its time: it looks at an argument of each call, so that the kernel can't remember the answer
 * by the call's number, and then counts, in 1,000 instructions of a classic BPF program.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#define STEPS 1000

int main(int argc, char **argv) {
  static struct sock_filter program[STEPS + 2];
  struct sock_filter load =
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[5]));
  struct sock_filter step = BPF_STMT(BPF_ALU | BPF_ADD | BPF_K, 1);
  struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog filter = {STEPS + 2, program};
  program[0] = load;
  for (int i = 1; i <= STEPS; i++) {
    program[i] = step;
  }
  program[STEPS + 1] = allow;
  if (argc < 2) {
    fprintf(stderr, "usage: long_filter COMMAND ARGS...\n");
    return 2;
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    perror("long_filter: seccomp");
    return 3;
  }
  execvp(argv[1], argv + 1);
  perror(argv[1]);
  return 127;
}
