/* killing CALL[,CALL...] COMMAND...: runs a command under a seccomp filter that kills the process
   for any of these system calls, as systemd's SystemCallFilter=~CALL does.
   killing @system-service COMMAND...: the same for all calls but those that systemd's set of that
   name allows, as SystemCallFilter=@system-service does. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* system-service.h and calls.h are made by the test: SYS_... for each that this machine has. */
static const int system_service[] = {
#include "system-service.h"
};

static const struct {
    const char *name;
    int number;
} calls[] = {
#include "calls.h"
};

static struct sock_filter code[1024];
static int n;

static void answer(int call, unsigned action)
{
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
}

static int find(const char *name)
{
    for (unsigned i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        if (strcmp(calls[i].name, name) == 0) {
            return calls[i].number;
        }
    }
    fprintf(stderr, "killing: no call %s\n", name);
    return -1;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        return 2;
    }
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    if (strcmp(argv[1], "@system-service") == 0) {
        for (unsigned i = 0; i < sizeof system_service / sizeof system_service[0]; i++) {
            answer(system_service[i], SECCOMP_RET_ALLOW);
        }
        code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    } else {
        for (char *name = strtok(argv[1], ","); name; name = strtok(NULL, ",")) {
            int call = find(name);
            if (call < 0) {
                return 2;
            }
            answer(call, SECCOMP_RET_KILL_PROCESS);
        }
        code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    struct sock_fprog program = {n, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
        perror("killing: seccomp");
        return 2;
    }
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 2;
}
