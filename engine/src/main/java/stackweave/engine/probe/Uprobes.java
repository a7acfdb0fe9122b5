package stackweave.engine.probe;

import java.util.Arrays;
import stackweave.engine.bpf.Bpf;
import stackweave.engine.bpf.BpfCode;
import stackweave.engine.perf.event.KernelEvent;
import stackweave.engine.perf.event.KernelEvents;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.Errno;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;

/**
 * Breakpoints of the kernel in a library that a process has mapped
 * (Documentation/trace/uprobetracer.rst), each with a program that runs when any thread reaches it.
 * An event of the calling thread makes the kernel set one in the whole process; closing the event
 * removes it. For the drain thread.
 */
final class Uprobes implements AutoCloseable {
  private final SystemCalls calls;
  private final String path;
  private final int tid;
  private int[] fds = {};

  /**
   * @param path of the library's file
   * @param process whose calls are met. Of another process the event belongs to its first thread:
   *     the kernel removes the breakpoints when that ends, which in a JVM waits for all others.
   */
  Uprobes(SystemCalls calls, String path, SampledProcess process) {
    this.calls = calls;
    this.path = path;
    this.tid = process.isOwn() ? calls.gettid() : process.pid();
  }

  /**
   * Places a breakpoint.
   *
   * @param offset of an instruction in the file
   * @return the errno of a failure, or 0
   */
  int place(long offset, BpfCode code) {
    int type = KernelEvents.uprobeType();
    if (type < 0) {
      return Errno.ENOENT;
    }
    int program = Bpf.load(calls, Bpf.KPROBE, code);
    if (program < 0) {
      return Libc.errno();
    }
    try (KernelEvent event = new KernelEvent(type, 0, NativeBuffer.path(path), offset, false)) {
      int fd = event.openCounting(calls, tid);
      if (fd < 0) {
        return -fd;
      }
      fds = Arrays.copyOf(fds, fds.length + 1);
      fds[fds.length - 1] = fd;
      return Bpf.attach(fd, program) ? 0 : Libc.errno();
    } finally {
      Libc.close(program);
    }
  }

  /** Removes a breakpoint, by its number in the order of {@link #place}. */
  void remove(int number) {
    if (fds[number] >= 0) {
      Libc.close(fds[number]);
      fds[number] = -1;
    }
  }

  @Override
  public void close() {
    if (fds.length > 0) {
      // each takes its time, so the most frequent ones, which were placed last, go first
      remove(fds.length - 1);
    }
    for (int i = 0; i < fds.length; i++) {
      remove(i);
    }
  }
}
