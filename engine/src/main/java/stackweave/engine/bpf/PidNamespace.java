package stackweave.engine.bpf;

import static stackweave.engine.bpf.BpfCode.FRAME;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import stackweave.engine.bpf.BpfCode.Operation;
import stackweave.jfr.process.SampledProcess;

/**
 * A namespace of process and thread ids, by which the kernel's programs find the ids within a
 * container (pid_namespaces(7)). Immutable.
 *
 * @param device of its file, by stat(2)
 * @param inode likewise
 */
public record PidNamespace(long device, long inode) {
  /** include/linux/proc_ns.h, PROC_PID_INIT_INO. */
  private static final long FIRST_INODE = 0xEFFFFFFCL;

  /** struct bpf_pidns_info. */
  private static final int IDS_BYTES = 8;

  /** The namespace of this process. */
  public static PidNamespace own() throws IOException {
    return of(SampledProcess.OWN);
  }

  private static PidNamespace of(SampledProcess process) throws IOException {
    Map<String, Object> facts =
        Files.readAttributes(Path.of(process.file("ns/pid")), "unix:dev,ino");
    return new PidNamespace(
        ((Number) facts.get("dev")).longValue(), ((Number) facts.get("ino")).longValue());
  }

  /**
   * Whether the kernel's programs can tell a process by ids of this process's namespace: it is in
   * the same one, or this one is the machine's. Then /proc has these ids, too.
   */
  public static boolean isSeen(SampledProcess process) {
    if (process.isOwn()) {
      return true;
    }
    try {
      // A /proc of an outer namespace has an id of this process for each namespace inside it.
      return SampledProcess.OWN.status("NSpid").length == 1
          && (own().isFirst() || own().equals(of(process)));
    } catch (IOException e) {
      return false;
    }
  }

  /** Whether it is the machine's. */
  public boolean isFirst() {
    return inode == FIRST_INODE;
  }

  /**
   * Writes instructions that store the ids of the current thread and its process, 4 bytes each, at
   * {@code offset} of the program's stack. Register 0 is not 0 if it has none in this namespace. In
   * the machine's namespace processes of all others have an id, too.
   */
  public void writeIds(BpfCode code, int offset) {
    if (isFirst()) {
      code.call(BpfCode.GET_CURRENT_PID_TGID).store(FRAME, offset, 0).set(0, 0);
      return;
    }
    code.setLong(1, device).setLong(2, inode).copy(3, FRAME).apply(Operation.ADD, 3, offset);
    code.set(4, IDS_BYTES).call(BpfCode.GET_NS_CURRENT_PID_TGID);
  }
}
