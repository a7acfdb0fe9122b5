package stackweave.agent.linux.task;

import stackweave.agent.cpu.x86_64.WaitingCalls;
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
    boolean x86 = SystemCalls.current().filter(c -> c == SystemCalls.X86_64).isPresent();
    put(
        DESCRIPTOR,
        x86
            ? WaitingCalls.onDescriptor()
            : stackweave.agent.cpu.aarch64.WaitingCalls.onDescriptor());
    put(
        SOCKET,
        x86 ? WaitingCalls.onSocket() : stackweave.agent.cpu.aarch64.WaitingCalls.onSocket());
    put(POLL, x86 ? WaitingCalls.poll() : stackweave.agent.cpu.aarch64.WaitingCalls.poll());
    put(MANY, x86 ? WaitingCalls.onMany() : stackweave.agent.cpu.aarch64.WaitingCalls.onMany());
    put(SLEEP, x86 ? WaitingCalls.sleep() : stackweave.agent.cpu.aarch64.WaitingCalls.sleep());
    put(
        CHILD,
        x86 ? WaitingCalls.forChild() : stackweave.agent.cpu.aarch64.WaitingCalls.forChild());
    put(FUTEX, x86 ? WaitingCalls.futex() : stackweave.agent.cpu.aarch64.WaitingCalls.futex());
    put(FILE, x86 ? WaitingCalls.onFile() : stackweave.agent.cpu.aarch64.WaitingCalls.onFile());
    put(
        SIGNAL,
        x86 ? WaitingCalls.forSignal() : stackweave.agent.cpu.aarch64.WaitingCalls.forSignal());
    put(
        RESTARTED,
        x86 ? WaitingCalls.restarted() : stackweave.agent.cpu.aarch64.WaitingCalls.restarted());
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
