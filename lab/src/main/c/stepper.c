/*
 * Finds out what the return addresses of a sampled thread really were: attaches to threads of a
 * process by their names, waits until a sampler's timer interrupts one of them, lets the sampler's
 * signal handler run, and then follows the thread until it has returned from the interrupted
 * function, from that one's caller, and so on, as long as that is cheap.
 *
 * A frame is single-stepped at first; calls on the way run at full speed, up to a hardware
 * breakpoint behind them. If its `ret` doesn't come soon, the thread runs at full speed with
 * hardware watchpoints on the lowest four words of its stack that can be return addresses. Frames
 * return in the order of their slots, so the first of the words that a `ret` takes is the frame's.
 *
 *   stepper PID NAME,NAME,... SECONDS SAMPLES JAVA_BEGIN JAVA_END
 *
 * JAVA_BEGIN to JAVA_END, in hexadecimal, is the JVM's code cache: a return to there is the last
 * that is looked for, and a thread interrupted there is left alone.
 *
 * Standard output, addresses in hexadecimal:
 *
 *   S TID BEGIN END PC SP WHY [SLOT:RETURN_ADDRESS]...
 *       the thread TID was interrupted at PC, the sampler's handler ran from BEGIN to END, ns since
 *       1970, and these returns followed, the innermost first; WHY says why they end: java, frames,
 *       steps, accesses, time, signal, strange, gone
 *   J JAVA_BEGIN JAVA_END
 *   M BEGIN END OFFSET PATH
 *       the mappings after the first sample and at the end; PATH is - for those of no file
 *
 * Ends after SECONDS, after SAMPLES, or with the process. Ends at once with NO_BREAKPOINTS where
 * hardware breakpoints can be set but are never hit, as under some hypervisors.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  MAX_THREADS = 256,
  MAX_FRAMES = 24,
  /* Of the interrupted frame, of one of its callers, and of one that has popped a code address. */
  LEAF_STEPS = 64,
  CALLER_STEPS = 1500,
  LAST_STEPS = 500,
  /* Accesses to watched words that are no returns. */
  MAX_ACCESSES = 200,
  MAX_RANGES = 4096,
  /* Of the stack, to see which words were there when the thread was interrupted. */
  COPY = 256 * 1024,
  RESUME_FLAG = 1 << 16,
};

/* For a sample; for one call, the sampler's handler, or a frame at full speed. */
static const int64_t MAX_SAMPLE_NS = 500000000;
static const int64_t MAX_CALL_NS = 100000000;

static pid_t pid;
static uint64_t java_begin, java_end;
static pid_t threads[MAX_THREADS];
static int thread_count;
static uint64_t copy[COPY / 8];
static cpu_set_t own_cpu;

static int64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static size_t peek(uint64_t address, void *to, size_t size) {
  struct iovec local = {to, size}, remote = {(void *)address, size};
  ssize_t read = process_vm_readv(pid, &local, 1, &remote, 1, 0);
  return read < 0 ? 0 : (size_t)read;
}

static int is_java(uint64_t address) { return address >= java_begin && address < java_end; }

/* Sets the breakpoint of a thread; 0 removes it. */
static int set_breakpoint(pid_t tid, uint64_t address) {
  if (address && ptrace(PTRACE_POKEUSER, tid, offsetof(struct user, u_debugreg[0]), address)) {
    return -1;
  }
  /* Bit 0 enables it; all other bits 0: one byte, executed. */
  return ptrace(PTRACE_POKEUSER, tid, offsetof(struct user, u_debugreg[7]), address ? 1 : 0);
}

/* The clock that ends waits now and then, to see whether their time is over. */
static void tick(int signal) { (void)signal; }

/* Lets a stopped thread go on; the signal that stopped it, if one did, is delivered. */
static void pass(pid_t tid, int status) {
  int signal = WSTOPSIG(status);
  /* Our own stops, and traps left over from following the thread. */
  int ours = status >> 16 == PTRACE_EVENT_STOP || signal == SIGTRAP;
  ptrace(PTRACE_CONT, tid, 0, ours ? 0 : signal);
}

/*
 * Waits for a stop of one thread. Others go on meanwhile: the JVM may wait for them, and this one for
 * the JVM. Returns the signal, 0 when the time is over, −1 if the thread is gone.
 */
static int await(pid_t tid, int64_t nanos) {
  int64_t end = now(CLOCK_MONOTONIC) + nanos;
  for (;;) {
    int status;
    pid_t who = waitpid(-1, &status, __WALL);
    if (who == tid) {
      return WIFSTOPPED(status) ? WSTOPSIG(status) : -1;
    }
    if (who > 0 && WIFSTOPPED(status)) {
      pass(who, status);
    }
    if (who < 0 && errno != EINTR) {
      return -1;
    }
    if (now(CLOCK_MONOTONIC) > end) {
      return 0;
    }
  }
}

/* Stops a thread that runs. Returns 0, or −1 if it is gone. */
static int interrupt(pid_t tid) {
  ptrace(PTRACE_INTERRUPT, tid, 0, 0);
  int signal = await(tid, INT64_C(5000000000));
  return signal > 0 ? 0 : -1;
}

static int is_timer(pid_t tid) {
  siginfo_t info;
  return !ptrace(PTRACE_GETSIGINFO, tid, 0, &info) && info.si_code == SI_TIMER;
}

/* The thread that is followed, and what is known of it. */
static struct {
  pid_t tid;
  /* At the interrupt, the first word of the copy. */
  uint64_t top;
  size_t words;
  struct user_regs_struct regs;
  /* The lowest slot that the next return can have. */
  uint64_t threshold;
  /* Of the last return. */
  uint64_t slot;
  int64_t end;
  int pending;
} at;

/*
 * Runs a thread until it is at an address with a stack pointer, or with a higher one, for the called
 * function may take its arguments off the stack. Returns 0 and leaves the registers in at; or why
 * that failed.
 * Timers' signals are swallowed meanwhile, others delivered.
 */
static const char *run_to(pid_t tid, uint64_t pc, uint64_t sp, int signal) {
  if (set_breakpoint(tid, pc)) {
    return "gone";
  }
  int64_t end = now(CLOCK_MONOTONIC) + MAX_CALL_NS;
  const char *why = 0;
  for (;;) {
    if (ptrace(PTRACE_CONT, tid, 0, signal)) {
      return "gone";
    }
    signal = 0;
    int got = await(tid, end - now(CLOCK_MONOTONIC));
    if (got < 0) {
      return "gone";
    }
    if (got == 0) {
      if (interrupt(tid)) {
        return "gone";
      }
      why = "time";
      break;
    }
    struct user_regs_struct regs;
    if (ptrace(PTRACE_GETREGS, tid, 0, &regs)) {
      return "gone";
    }
    if (got == SIGTRAP) {
      if (regs.rip == pc && regs.rsp >= sp) {
        at.regs = regs;
        break;
      }
    } else if (!is_timer(tid)) {
      signal = got;
    }
  }
  if (set_breakpoint(tid, 0)) {
    return "gone";
  }
  return why;
}

/* The kind of the instruction at an address. */
enum kind { OTHER, RETURN, CALL };

static enum kind kind_at(uint64_t pc) {
  uint8_t code[4];
  if (peek(pc, code, sizeof code) < 1) {
    return OTHER;
  }
  const uint8_t *at = code;
  if (*at == 0xf3 || *at == 0xf2 || *at == 0x3e || *at == 0x67) {
    at++; /* rep ret, bnd, notrack, padding */
  }
  if (*at == 0xc3 || *at == 0xc2) {
    return RETURN;
  }
  if ((*at & 0xf0) == 0x40) {
    at++; /* REX */
  }
  return *at == 0xe8 || (*at == 0xff && (at[1] >> 3 & 7) == 2) ? CALL : OTHER;
}

/* Executable ranges of the process, sorted. */
static struct {
  uint64_t begin, end;
  int file;
} ranges[MAX_RANGES];
static int range_count;

static void read_ranges(void) {
  char path[64], line[4096];
  snprintf(path, sizeof path, "/proc/%d/maps", pid);
  FILE *maps = fopen(path, "r");
  range_count = 0;
  while (maps && range_count < MAX_RANGES && fgets(line, sizeof line, maps)) {
    char rights[8];
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s", &ranges[range_count].begin,
               &ranges[range_count].end, rights) == 3 &&
        rights[2] == 'x') {
      ranges[range_count].file = strchr(line, '/') != 0;
      range_count++;
    }
  }
  if (maps) {
    fclose(maps);
  }
}

/* The range of an address; −1 if it is in none. */
static int range_of(uint64_t address) {
  int low = 0, high = range_count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (address < ranges[middle].begin) {
      high = middle;
    } else if (address >= ranges[middle].end) {
      low = middle + 1;
    } else {
      return middle;
    }
  }
  return -1;
}

/* Whether an address can be one that a call leaves. Generated code may have changed since. */
static int is_return_address(uint64_t address) {
  uint8_t code[7];
  int range = range_of(address);
  if (range < 0) {
    return 0;
  }
  if (!ranges[range].file || peek(address - 7, code, 7) != 7) {
    return 1;
  }
  return code[2] == 0xe8 || (code[5] == 0xff && (code[6] >> 3 & 7) == 2) ||
         (code[4] == 0xff && (code[5] >> 3 & 7) == 2) ||
         (code[3] == 0xff && (code[4] >> 3 & 7) == 2) ||
         (code[1] == 0xff && (code[2] >> 3 & 7) == 2) ||
         (code[0] == 0xff && (code[1] >> 3 & 7) == 2);
}

enum outcome { RETURNED, GO_ON, ENDED };

/* Whether a word was on the copied stack, from the top to a little above a slot. */
static int was_there(uint64_t value, uint64_t slot) {
  for (size_t i = 0; i < at.words && at.top + 8 * i <= slot + 256; i++) {
    if (copy[i] == value) {
      return 1;
    }
  }
  return 0;
}

/* Steps until the frame has returned, or gives up with GO_ON. */
static enum outcome step(int max_steps, const char **why) {
  for (int steps = 0; steps < max_steps; steps++) {
    enum kind kind = kind_at(at.regs.rip);
    uint64_t slot = at.regs.rsp;
    if (ptrace(PTRACE_SINGLESTEP, at.tid, 0, 0)) {
      *why = "gone";
      return ENDED;
    }
    int got = await(at.tid, MAX_CALL_NS);
    if (got <= 0) {
      *why = got < 0 || interrupt(at.tid) ? "gone" : "time";
      return ENDED;
    }
    if (got != SIGTRAP) {
      if (is_timer(at.tid)) {
        continue; /* swallowed; the step was not made */
      }
      at.pending = got;
      *why = "signal";
      return ENDED;
    }
    if (ptrace(PTRACE_GETREGS, at.tid, 0, &at.regs)) {
      *why = "gone";
      return ENDED;
    }
    if (kind == RETURN && slot >= at.threshold && at.regs.rsp > slot) {
      at.slot = slot;
      return RETURNED;
    }
    uint64_t back;
    if (kind == CALL && at.regs.rsp == slot - 8 && peek(at.regs.rsp, &back, 8) == 8) {
      *why = run_to(at.tid, back, slot, 0);
      if (*why) {
        return ENDED;
      }
    }
  }
  return GO_ON;
}

/* Watches words of a thread's stack; 0 for those that are not wanted. */
static int set_watchpoints(pid_t tid, const uint64_t *slots) {
  uint64_t control = 0;
  if (ptrace(PTRACE_POKEUSER, tid, offsetof(struct user, u_debugreg[7]), 0)) {
    return -1;
  }
  for (int i = 0; i < 4; i++) {
    if (slots[i]) {
      if (ptrace(PTRACE_POKEUSER, tid, offsetof(struct user, u_debugreg[i]), slots[i])) {
        return -1;
      }
      /* Enabled; 8 bytes, read or written. */
      control |= UINT64_C(1) << (2 * i) | UINT64_C(0xb) << (16 + 4 * i);
    }
  }
  return ptrace(PTRACE_POKEUSER, tid, offsetof(struct user, u_debugreg[7]), control);
}

/*
 * Runs until a return takes one of the stack's words that are addresses of code. GO_ON if such a
 * word was popped by something else: it may be the return address all the same, so that the next
 * instructions have to be stepped.
 */
static enum outcome watch(const char **why) {
  uint64_t slots[4] = {0}, values[4] = {0};
  int found = 0;
  for (size_t i = (at.threshold - at.top) / 8; i < at.words && found < 4; i++) {
    uint64_t slot = at.top + 8 * i, value;
    if (is_return_address(copy[i]) && peek(slot, &value, 8) == 8 && value == copy[i]) {
      slots[found] = slot;
      values[found++] = value;
    }
  }
  if (found && at.regs.rsp > slots[0]) {
    return GO_ON; /* the word may have been popped already */
  }
  int64_t end = now(CLOCK_MONOTONIC) + MAX_CALL_NS;
  enum outcome outcome = ENDED;
  *why = "accesses";
  for (int accesses = 0; accesses < MAX_ACCESSES; accesses++) {
    if (set_watchpoints(at.tid, slots) || ptrace(PTRACE_CONT, at.tid, 0, 0)) {
      *why = "gone";
      break;
    }
    int got = await(at.tid, end - now(CLOCK_MONOTONIC));
    if (got <= 0) {
      *why = got < 0 || interrupt(at.tid) ? "gone" : "time";
      break;
    }
    if (ptrace(PTRACE_GETREGS, at.tid, 0, &at.regs)) {
      *why = "gone";
      break;
    }
    if (got != SIGTRAP) {
      if (is_timer(at.tid)) {
        accesses--;
        continue;
      }
      at.pending = got;
      *why = "signal";
      break;
    }
    long fired = ptrace(PTRACE_PEEKUSER, at.tid, offsetof(struct user, u_debugreg[6]), 0);
    ptrace(PTRACE_POKEUSER, at.tid, offsetof(struct user, u_debugreg[6]), 0);
    int in_doubt = 0;
    for (int i = 0; i < 4; i++) {
      uint64_t value;
      int is_fired = fired >> i & 1;
      if (!slots[i]) {
        continue;
      }
      if (is_fired && at.regs.rsp > slots[i]) {
        outcome = at.regs.rip == values[i] ? RETURNED : GO_ON;
        at.slot = slots[i];
      } else if (at.regs.rsp > slots[i] || peek(slots[i], &value, 8) != 8 || value != values[i]) {
        /* Given up by the frame, or overwritten. No other word takes its place: the frame may have
           returned by one that was not watched. */
        slots[i] = 0;
      } else if (is_fired && at.regs.rsp == slots[i]) {
        in_doubt = 1; /* read by the frame, or written once more by a call from higher up */
      }
    }
    if (in_doubt && outcome == ENDED) {
      *why = "strange";
      break;
    }
    if (outcome != ENDED) {
      break;
    }
  }
  if (strcmp(*why, "gone") && set_watchpoints(at.tid, (uint64_t[4]){0})) {
    *why = "gone";
    return ENDED;
  }
  return outcome;
}

/* On a busy machine each of the two switches of a step would wait for others. Needs root. */
static void prefer(pid_t tid, int policy) {
  struct sched_param priority = {.sched_priority = policy == SCHED_OTHER ? 0 : 1};
  sched_setscheduler(tid, policy, &priority);
}

/* Follows a stopped thread, prints its returns, and lets it go. */
static void follow(pid_t tid, const struct user_regs_struct *regs) {
  /* On one CPU, a step and its wait are a switch each, without waking another CPU. */
  cpu_set_t all;
  sched_getaffinity(tid, sizeof all, &all);
  sched_setaffinity(tid, sizeof own_cpu, &own_cpu);
  prefer(tid, SCHED_RR);
  at.tid = tid;
  at.top = regs->rsp;
  at.regs = *regs;
  at.threshold = regs->rsp;
  at.end = now(CLOCK_MONOTONIC) + MAX_SAMPLE_NS;
  at.pending = 0;
  at.words = 0;
  for (size_t size = COPY; size >= 512 && !at.words; size /= 2) { /* the stack may end before */
    at.words = peek(regs->rsp, copy, size) / 8;
  }
  read_ranges();
  const char *why = "frames";
  int frames = 0;
  uint64_t slots[MAX_FRAMES], addresses[MAX_FRAMES];
  while (frames < MAX_FRAMES) {
    enum outcome outcome = step(frames ? CALLER_STEPS : LEAF_STEPS, &why);
    if (outcome == GO_ON) {
      outcome = watch(&why);
      if (outcome == GO_ON) {
        outcome = step(LAST_STEPS, &why);
      }
    }
    if (outcome != RETURNED) {
      why = outcome == ENDED ? why : "steps";
      break;
    }
    if (!was_there(at.regs.rip, at.slot)) {
      why = "strange"; /* a jump by push and ret, or a frame above what was copied */
      break;
    }
    slots[frames] = at.slot;
    addresses[frames++] = at.regs.rip;
    at.threshold = at.regs.rsp;
    if (is_java(at.regs.rip)) {
      why = "java";
      break;
    }
    if (now(CLOCK_MONOTONIC) > at.end) {
      why = "time";
      break;
    }
    why = "frames";
  }
  if (strcmp(why, "gone")) {
    set_breakpoint(tid, 0);
    ptrace(PTRACE_CONT, tid, 0, at.pending);
  }
  prefer(tid, SCHED_OTHER);
  sched_setaffinity(tid, sizeof all, &all);
  printf(" %s", why);
  for (int i = 0; i < frames; i++) {
    printf(" %" PRIx64 ":%" PRIx64, slots[i], addresses[i]);
  }
  printf("\n");
}

/* Attaches to those threads of the names that are not yet. */
static void attach(const char *names) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  DIR *tasks = opendir(path);
  if (!tasks) {
    return;
  }
  for (struct dirent *task; (task = readdir(tasks));) {
    pid_t tid = atoi(task->d_name);
    int known = tid == 0;
    for (int i = 0; i < thread_count; i++) {
      known |= threads[i] == tid;
    }
    if (known || thread_count == MAX_THREADS) {
      continue;
    }
    char name[64] = "";
    snprintf(path, sizeof path, "/proc/%d/task/%d/comm", pid, tid);
    int file = open(path, O_RDONLY);
    ssize_t length = file < 0 ? 0 : read(file, name, sizeof name - 1);
    if (file >= 0) {
      close(file);
    }
    name[length > 0 ? length - 1 : 0] = 0;
    const char *found = *name ? strstr(names, name) : 0;
    size_t size = strlen(name);
    if (found && (found == names || found[-1] == ',') && (found[size] == ',' || !found[size]) &&
        !ptrace(PTRACE_SEIZE, tid, 0, 0)) {
      threads[thread_count++] = tid;
    }
  }
  closedir(tasks);
}

static void print_mappings(void) {
  char path[64], line[4096];
  snprintf(path, sizeof path, "/proc/%d/maps", pid);
  FILE *maps = fopen(path, "r");
  if (!maps) {
    return;
  }
  while (fgets(line, sizeof line, maps)) {
    uint64_t begin, end, offset;
    char rights[8];
    int name = 0;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n", &begin, &end, rights,
               &offset, &name) >= 4) {
      line[strcspn(line, "\n")] = 0;
      printf("M %" PRIx64 " %" PRIx64 " %" PRIx64 " %s\n", begin, end, offset,
             name && line[name] ? line + name : "-");
    }
  }
  fclose(maps);
}

enum { NO_BREAKPOINTS = 3 };

__attribute__((noinline)) static void landmark(void) { __asm__ volatile(""); }

/* Whether a child process stops at a hardware breakpoint. */
static int breakpoints_work(void) {
  pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    raise(SIGSTOP);
    landmark();
    _exit(0);
  }
  int status;
  int hit = child > 0 && waitpid(child, &status, 0) == child && WIFSTOPPED(status) &&
            !set_breakpoint(child, (uint64_t)landmark) && !ptrace(PTRACE_CONT, child, 0, 0) &&
            waitpid(child, &status, 0) == child && WIFSTOPPED(status) &&
            WSTOPSIG(status) == SIGTRAP;
  if (child > 0 && !kill(child, SIGKILL)) {
    waitpid(child, &status, 0);
  }
  return hit;
}

int main(int count, char **arguments) {
  if (count != 7) {
    fprintf(stderr, "stepper PID NAMES SECONDS SAMPLES JAVA_BEGIN JAVA_END\n");
    return 2;
  }
  if (!breakpoints_work()) {
    fprintf(stderr, "stepper: hardware breakpoints are never hit on this machine\n");
    return NO_BREAKPOINTS;
  }
  pid = atoi(arguments[1]);
  const char *names = arguments[2];
  int64_t end = now(CLOCK_MONOTONIC) + (int64_t)(1e9 * atof(arguments[3]));
  int samples = atoi(arguments[4]);
  java_begin = strtoull(arguments[5], 0, 16);
  java_end = strtoull(arguments[6], 0, 16);
  struct sigaction action = {.sa_handler = tick}; /* without SA_RESTART */
  sigaction(SIGALRM, &action, 0);
  struct itimerval ticks = {{0, 20000}, {0, 20000}};
  setitimer(ITIMER_REAL, &ticks, 0);
  CPU_ZERO(&own_cpu);
  CPU_SET(sched_getcpu(), &own_cpu);
  sched_setaffinity(0, sizeof own_cpu, &own_cpu);
  prefer(0, SCHED_RR);
  printf("J %" PRIx64 " %" PRIx64 "\n", java_begin, java_end);
  int64_t next_look = 0;
  int mapped = 0;
  while (samples > 0 && now(CLOCK_MONOTONIC) < end) {
    if (now(CLOCK_MONOTONIC) > next_look) {
      attach(names);
      next_look = now(CLOCK_MONOTONIC) + 20000000;
    }
    int status;
    pid_t tid = waitpid(-1, &status, __WALL | WNOHANG);
    if (tid < 0 && kill(pid, 0)) {
      break; /* the process has ended */
    }
    if (tid <= 0) {
      usleep(200);
      continue;
    }
    if (!WIFSTOPPED(status)) {
      continue;
    }
    struct user_regs_struct regs;
    int signal = WSTOPSIG(status);
    if (status >> 16 == PTRACE_EVENT_STOP || signal == SIGTRAP || !is_timer(tid) ||
        ptrace(PTRACE_GETREGS, tid, 0, &regs) || is_java(regs.rip)) {
      pass(tid, status);
      continue;
    }
    int64_t time = now(CLOCK_REALTIME);
    /* In the middle of a repeated instruction the breakpoint on it would not be seen. */
    regs.eflags &= ~(unsigned long long)RESUME_FLAG;
    ptrace(PTRACE_SETREGS, tid, 0, &regs);
    const char *failed = run_to(tid, regs.rip, regs.rsp, signal);
    if (failed || memcmp(&regs, &at.regs, offsetof(struct user_regs_struct, orig_rax)) ||
        regs.rsp != at.regs.rsp) { /* or it is there for the second time */
      ptrace(PTRACE_CONT, tid, 0, 0);
      continue;
    }
    samples--;
    printf("S %d %" PRId64 " %" PRId64 " %llx %llx", tid, time, now(CLOCK_REALTIME), regs.rip,
           regs.rsp);
    follow(tid, &regs);
    if (!mapped++) {
      print_mappings();
      fflush(stdout);
    }
  }
  print_mappings();
  fflush(stdout);
  for (int i = 0; i < thread_count; i++) {
    if (!interrupt(threads[i])) {
      ptrace(PTRACE_DETACH, threads[i], 0, 0);
    }
  }
  return 0;
}
