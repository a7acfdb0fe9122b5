package stackweave.agent.linux.task;

import stackweave.agent.cpu.CallsThatWait;
import stackweave.agent.linux.SystemCalls;

/** What a thread waits for in a system call, as far as the call's number tells. Immutable. */
public enum CallKind {
  /** A descriptor, the first argument, tells. */
  DESCRIPTOR,
  SOCKET,
  /** The first argument is an array of struct pollfd, the second how many there are. */
  POLL,
  /** Several descriptors. */
  MANY,
  SLEEP,
  CHILD,
  FUTEX,
  FILE,
  /** sigsuspend(2). */
  SIGNAL,
  /** A call that was interrupted and goes on: its number and arguments are not shown. */
  RESTARTED,
  OTHER;

  /** Numbers of system calls are below this. */
  private static final int NUMBERS = 512;

  private static final CallKind[] BY_NUMBER = new CallKind[NUMBERS];

  static {
    CallsThatWait calls =
        SystemCalls.current().filter(c -> c == SystemCalls.X86_64).isPresent()
            ? stackweave.agent.cpu.x86_64.WaitingCalls.ALL
            : stackweave.agent.cpu.aarch64.WaitingCalls.ALL;
    put(DESCRIPTOR, calls.onDescriptor());
    put(SOCKET, calls.onSocket());
    put(POLL, calls.poll());
    put(MANY, calls.onMany());
    put(SLEEP, calls.sleep());
    put(CHILD, calls.forChild());
    put(FUTEX, calls.futex());
    put(FILE, calls.onFile());
    put(SIGNAL, calls.forSignal());
    put(RESTARTED, calls.restarted());
  }

  private static void put(CallKind kind, int[] numbers) {
    for (int number : numbers) {
      BY_NUMBER[number] = kind;
    }
  }

  /** That of a system call of this machine's processor. */
  public static CallKind of(int number) {
    CallKind kind = number >= 0 && number < NUMBERS ? BY_NUMBER[number] : null;
    return kind == null ? OTHER : kind;
  }
}
