package stackweave.engine.perf.filter;

import static stackweave.engine.bpf.BpfCode.Condition.EQUAL;
import static stackweave.engine.bpf.BpfCode.Condition.NOT_EQUAL;
import static stackweave.engine.bpf.BpfCode.GET_CURRENT_COMM;
import static stackweave.engine.bpf.BpfCode.GET_CURRENT_PID_TGID;
import static stackweave.engine.bpf.BpfCode.MAP_LOOKUP_ELEM;
import static stackweave.engine.bpf.BpfCode.MAP_UPDATE_ELEM;

import java.io.IOException;
import stackweave.engine.KernelVersion;
import stackweave.engine.bpf.Bpf;
import stackweave.engine.bpf.BpfCode;
import stackweave.engine.bpf.BpfCode.Operation;
import stackweave.engine.bpf.PidNamespace;
import stackweave.linux.Errno;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;
import stackweave.unwind.text.ModifiedUtf8;

/**
 * A program that the kernel runs whenever an event of a CPU is about to take a sample: it lets
 * samples of chosen processes pass, except one thread's. For other processes no register and no
 * byte of a stack is copied (bpf_overflow_handler in kernel/events/core.c). For samples that pass
 * it stores the thread's name, which is not available after the thread's end, and copies {@link
 * OlderParts} of the stack. Thread-safe, except {@link #close}.
 */
public final class ProcessFilter implements AutoCloseable {
  /** The most processes at a time. */
  public static final int MAX_PROCESSES = 256;

  // Offsets on the program's stack: struct bpf_pidns_info, the id of the process and then of the
  // thread, its name, and what OlderParts needs beyond the name's place; the program's argument.
  private static final int TASK = -8;
  private static final int PROCESS = -4;
  private static final int KEY = -16;
  private static final int NAME = -32;
  private static final int OLDER = -48;
  private static final int CONTEXT = -56;

  /** TASK_COMM_LEN in include/linux/sched.h. */
  private static final int NAME_BYTES = 16;

  /** The number of names that are stored, at least, and for each CPU. */
  private static final int NAMES = 4_096;

  private static final int NAMES_EACH = 256;

  private final SystemCalls calls;
  private final int program;

  /** A map of the processes that pass, whose values say nothing. */
  private final int processes;

  /** A map, or −1 without one. */
  private final int names;

  private final NativeBuffer key = NativeBuffer.allocate(Long.BYTES);
  private final NativeBuffer name = NativeBuffer.allocate(NAME_BYTES);
  private final NativeBuffer attr = NativeBuffer.allocate(Bpf.ELEMENT_BYTES);

  /** Null if older parts are not copied. */
  private final OlderParts older;

  private final String note;

  private ProcessFilter(
      SystemCalls calls, int program, int processes, int names, OlderParts older, String note) {
    this.note = note;
    this.calls = calls;
    this.program = program;
    this.processes = processes;
    this.names = names;
    this.older = older;
  }

  /**
   * Loads it; no process passes yet.
   *
   * @param exceptTid the thread that does not pass
   * @param cpus the number of CPUs that it runs on
   * @param intervalNanos of the events
   * @param stackBytes bytes of a stack that they copy
   * @return null if the kernel does not permit it
   */
  public static ProcessFilter open(
      SystemCalls calls, int exceptTid, int cpus, long intervalNanos, int stackBytes) {
    PidNamespace namespace;
    try {
      namespace = PidNamespace.own();
    } catch (IOException e) {
      return null;
    }
    int processes = Bpf.createTable(calls, Long.BYTES, MAX_PROCESSES);
    if (processes < 0) {
      return null;
    }
    // A kernel that has no such map, or no memory for it, may still have the program.
    int names = Bpf.createCache(calls, NAME_BYTES, Math.max(NAMES, NAMES_EACH * cpus));
    String note =
        names < 0 ? refused("the map of threads' names", "short threads have no name") : "";
    OlderParts older = OlderParts.open(calls, KernelVersion.current(), intervalNanos, stackBytes);
    int program = load(calls, namespace, processes, exceptTid, names, older);
    if (program < 0 && older != null) {
      note = refused("the program that copies older parts of stacks", "these are read later");
      older.close();
      older = null;
      program = load(calls, namespace, processes, exceptTid, names, null);
    }
    ProcessFilter filter = null;
    try {
      filter =
          program < 0 ? null : new ProcessFilter(calls, program, processes, names, older, note);
    } finally {
      if (filter == null) {
        close(program);
        close(processes);
        close(names);
        if (older != null) {
          older.close();
        }
      }
    }
    return filter;
  }

  private static String refused(String part, String consequence) {
    return "the kernel refused " + part + " [" + Errno.name(Libc.errno()) + "], so " + consequence;
  }

  private static int load(
      SystemCalls calls,
      PidNamespace namespace,
      int processes,
      int exceptTid,
      int names,
      OlderParts older) {
    BpfCode code = new BpfCode();
    code.store(BpfCode.FRAME, CONTEXT, 1);
    int elsewhere = namespace.isFirst() ? writeIds(code) : writeIds(code, namespace);
    code.setMap(1, processes).copy(2, BpfCode.FRAME).apply(Operation.ADD, 2, KEY);
    code.call(MAP_LOOKUP_ELEM);
    int otherProcess = code.jump(EQUAL, 0, 0);
    int exceptThread = code.jump(EQUAL, 6, exceptTid);
    code.store(BpfCode.FRAME, KEY, 6);
    if (names >= 0) {
      keepName(code, names);
    }
    if (older != null) {
      older.writeTo(code, CONTEXT, KEY, OLDER);
    }
    code.set(0, 1).exit();
    code.land(otherProcess, exceptThread);
    if (elsewhere >= 0) {
      code.land(elsewhere);
    }
    code.set(0, 0).exit();
    return Bpf.load(calls, Bpf.PERF_EVENT, code);
  }

  /** Puts the thread's id into register 6, and the process's into the key; returns −1. */
  private static int writeIds(BpfCode code) {
    code.call(GET_CURRENT_PID_TGID).copy(6, 0).apply(Operation.SHIFT_RIGHT, 0, Integer.SIZE);
    code.store(BpfCode.FRAME, KEY, 0);
    code.apply(Operation.SHIFT_LEFT, 6, Integer.SIZE);
    code.apply(Operation.SHIFT_RIGHT, 6, Integer.SIZE);
    return -1;
  }

  /** As {@link #writeIds(BpfCode)}; returns the jump of a thread that is not in the namespace. */
  private static int writeIds(BpfCode code, PidNamespace namespace) {
    namespace.writeIds(code, TASK);
    int elsewhere = code.jump(NOT_EQUAL, 0, 0);
    code.loadInt(6, BpfCode.FRAME, PROCESS).store(BpfCode.FRAME, KEY, 6);
    code.loadInt(6, BpfCode.FRAME, TASK);
    return elsewhere;
  }

  private static void keepName(BpfCode code, int names) {
    code.copy(1, BpfCode.FRAME).apply(Operation.ADD, 1, NAME).set(2, NAME_BYTES);
    code.call(GET_CURRENT_COMM);
    code.setMap(1, names);
    code.copy(2, BpfCode.FRAME).apply(Operation.ADD, 2, KEY);
    code.copy(3, BpfCode.FRAME).apply(Operation.ADD, 3, NAME);
    code.set(4, 0).call(MAP_UPDATE_ELEM);
  }

  /**
   * Lets samples of a process pass from now on; whether there was room.
   *
   * @param pid its id in the caller's namespace
   */
  public synchronized boolean add(int pid) {
    key.bytes().putLong(0, pid);
    return Bpf.update(calls, processes, key, name, attr);
  }

  /** Keeps samples of a process out from now on. */
  public synchronized void remove(int pid) {
    key.bytes().putLong(0, pid);
    Bpf.delete(calls, processes, key, attr);
  }

  /** File descriptors that it holds. */
  public int descriptors() {
    return 2 + (names < 0 ? 0 : 1) + (older == null ? 0 : 2);
  }

  /** A note for users on the part that the kernel refused; empty for none. */
  public String note() {
    return note;
  }

  /** The copies of older parts of stacks; null for none. */
  public OlderParts older() {
    return older;
  }

  /** The program's descriptor, to be set on each event. */
  public int program() {
    return program;
  }

  /** The name that a thread had when it was sampled last; empty if that is not known. */
  public synchronized String nameOf(int tid) {
    if (names < 0) {
      return "";
    }
    key.bytes().putLong(0, tid);
    if (!Bpf.lookUp(calls, names, key, name, attr)) {
      return "";
    }
    byte[] text = new byte[NAME_BYTES];
    name.bytes().get(0, text);
    int length = 0;
    while (length < NAME_BYTES && text[length] != 0) {
      length++;
    }
    return ModifiedUtf8.cut(text, length);
  }

  private static void close(int fd) {
    if (fd >= 0) {
      Libc.close(fd);
    }
  }

  @Override
  public void close() {
    close(program);
    close(processes);
    close(names);
    if (older != null) {
      older.close();
    }
    key.close();
    name.close();
    attr.close();
  }
}
