package stackweave.agent.engine.perf;

import static stackweave.agent.engine.bpf.BpfCode.Condition.EQUAL;
import static stackweave.agent.engine.bpf.BpfCode.Condition.NOT_EQUAL;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import stackweave.agent.engine.bpf.Bpf;
import stackweave.agent.engine.bpf.BpfCode;
import stackweave.agent.engine.bpf.BpfCode.Operation;
import stackweave.agent.linux.Libc;
import stackweave.agent.linux.SystemCalls;

/**
 * A program that the kernel runs whenever an event of a CPU is about to take a sample: it lets
 * those of one process through, but for one thread. Of others no register and no byte of a stack is
 * copied (bpf_overflow_handler in kernel/events/core.c). For the drain thread.
 */
final class ProcessFilter implements AutoCloseable {
  /** The process's namespace of ids, by which the program knows it: container or machine. */
  private static final String NAMESPACE = "/proc/self/ns/pid";

  /** The first namespace of ids (include/linux/proc_ns.h, PROC_PID_INIT_INO). */
  private static final long FIRST_NAMESPACE = 0xEFFFFFFCL;

  // Functions of the kernel (enum bpf_func_id).
  private static final int GET_CURRENT_PID_TGID = 14;

  /** Since Linux 5.7. */
  private static final int GET_NS_CURRENT_PID_TGID = 120;

  // struct bpf_pidns_info on the program's stack.
  private static final int TASK = -8;
  private static final int PROCESS = -4;
  private static final int TASK_BYTES = 8;

  private final int program;

  private ProcessFilter(int program) {
    this.program = program;
  }

  /**
   * Loads it.
   *
   * @param pid the process, in its own namespace of ids, which is that of the caller
   * @param exceptTid one of its threads
   * @return null if the kernel does not permit it
   */
  static ProcessFilter open(SystemCalls calls, int pid, int exceptTid) {
    long device;
    long inode;
    try {
      Map<String, Object> facts = Files.readAttributes(Path.of(NAMESPACE), "unix:dev,ino");
      device = ((Number) facts.get("dev")).longValue();
      inode = ((Number) facts.get("ino")).longValue();
    } catch (IOException e) {
      return null;
    }
    BpfCode code =
        inode == FIRST_NAMESPACE
            ? inFirstNamespace(pid, exceptTid)
            : inNamespace(device, inode, pid, exceptTid);
    int program = Bpf.load(calls, Bpf.PERF_EVENT, code);
    return program < 0 ? null : new ProcessFilter(program);
  }

  private static BpfCode inFirstNamespace(int pid, int exceptTid) {
    BpfCode code = new BpfCode();
    code.call(GET_CURRENT_PID_TGID).copy(6, 0).apply(Operation.SHIFT_RIGHT, 0, Integer.SIZE);
    int otherProcess = code.jump(NOT_EQUAL, 0, pid);
    code.apply(Operation.SHIFT_LEFT, 6, Integer.SIZE);
    code.apply(Operation.SHIFT_RIGHT, 6, Integer.SIZE);
    int except = code.jump(EQUAL, 6, exceptTid);
    return answers(code, otherProcess, except);
  }

  private static BpfCode inNamespace(long device, long inode, int pid, int exceptTid) {
    BpfCode code = new BpfCode();
    code.setLong(1, device).setLong(2, inode).copy(3, BpfCode.FRAME).apply(Operation.ADD, 3, TASK);
    code.set(4, TASK_BYTES).call(GET_NS_CURRENT_PID_TGID);
    int elsewhere = code.jump(NOT_EQUAL, 0, 0);
    code.loadInt(6, BpfCode.FRAME, PROCESS);
    int otherProcess = code.jump(NOT_EQUAL, 6, pid);
    code.loadInt(6, BpfCode.FRAME, TASK);
    int except = code.jump(EQUAL, 6, exceptTid);
    return answers(code, elsewhere, otherProcess, except);
  }

  private static BpfCode answers(BpfCode code, int... dropped) {
    code.set(0, 1).exit();
    code.land(dropped);
    return code.set(0, 0).exit();
  }

  /** The program's descriptor, to be set on each event. */
  int program() {
    return program;
  }

  @Override
  public void close() {
    Libc.close(program);
  }
}
