/*
 * refuse_perf [--memory] COMMAND ARGS...: runs the command where every perf_event_open fails with
 * EPERM, by a real seccomp filter, as in Docker's default profile; and every process_vm_readv, as in
 * older ones, too.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int memory = argc > 1 && strcmp(argv[1], "--memory") == 0;
  int refused = memory ? SYS_process_vm_readv : SYS_perf_event_open;
  argc -= memory;
  argv += memory;
  struct sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {sizeof program / sizeof program[0], program};
  if (argc < 2) {
    fprintf(stderr, "usage: refuse_perf [--memory] COMMAND ARGS...\n");
    return 2;
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    perror("refuse_perf: seccomp");
    return 3;
  }
  execvp(argv[1], argv + 1);
  perror(argv[1]);
  return 127;
}
