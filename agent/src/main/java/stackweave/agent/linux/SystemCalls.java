package stackweave.agent.linux;

import java.util.Locale;
import java.util.Optional;
import stackweave.unwind.Architecture;

/** Numbers of the system calls that libc has no function for, per architecture. */
public enum SystemCalls {
  X86_64(Architecture.X86_64, 298, 186, 319),
  AARCH64(Architecture.AARCH64, 241, 178, 279);

  private final Architecture architecture;
  private final int perfEventOpen;
  private final int gettid;
  private final int memfdCreate;

  SystemCalls(Architecture architecture, int perfEventOpen, int gettid, int memfdCreate) {
    this.architecture = architecture;
    this.perfEventOpen = perfEventOpen;
    this.gettid = gettid;
    this.memfdCreate = memfdCreate;
  }

  /** Those of the running JVM; empty on an architecture that the engines don't know. */
  public static Optional<SystemCalls> current() {
    return switch (System.getProperty("os.arch", "").toLowerCase(Locale.ROOT)) {
      case "amd64", "x86_64" -> Optional.of(X86_64);
      case "aarch64" -> Optional.of(AARCH64);
      default -> Optional.empty();
    };
  }

  public Architecture architecture() {
    return architecture;
  }

  /**
   * {@code perf_event_open(attr, tid, cpu, group, flags)}: a file descriptor, or −1 and {@link
   * Libc#errno}.
   */
  public int perfEventOpen(long attr, int tid, int cpu, int groupFd, long flags) {
    return (int) Libc.syscall(perfEventOpen, attr, tid, cpu, groupFd, flags, 0);
  }

  /** The calling thread's id as the OS has it. */
  public int gettid() {
    return (int) Libc.syscall(gettid, 0, 0, 0, 0, 0, 0);
  }

  /** {@code memfd_create(name, flags)}: a file descriptor, or −1 and {@link Libc#errno}. */
  public int memfdCreate(long name, int flags) {
    return (int) Libc.syscall(memfdCreate, name, flags, 0, 0, 0, 0);
  }
}
