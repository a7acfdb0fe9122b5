/*
 * confine COMMAND ARGS...: runs the command under a seccomp filter that kills the process for what
 * no usual service calls, as systemd's SystemCallFilter=@system-service does.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KILL_FOR(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), KILL
#define KILL BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

int main(int argc, char **argv) {
  struct sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      KILL_FOR(SYS_perf_event_open),
      KILL_FOR(SYS_process_vm_readv),
      KILL_FOR(SYS_process_vm_writev),
      KILL_FOR(SYS_ptrace),
      KILL_FOR(SYS_bpf),
      KILL_FOR(SYS_kcmp),
      KILL_FOR(SYS_userfaultfd),
      KILL_FOR(SYS_memfd_create),
      KILL_FOR(SYS_get_robust_list),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {sizeof program / sizeof program[0], program};
  if (argc < 2) {
    fprintf(stderr, "usage: confine COMMAND ARGS...\n");
    return 2;
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    perror("confine: seccomp");
    return 3;
  }
  execvp(argv[1], argv + 1);
  perror(argv[1]);
  return 127;
}
