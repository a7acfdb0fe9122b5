package stackweave.cpu;

/** What a thread waits for in a system call, as far as its number shows. Immutable. */
public enum CallKind {
  /** A descriptor, which is the first argument. */
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
  /** A call that was interrupted and continues: its number and arguments are not shown. */
  RESTARTED,
  OTHER
}
