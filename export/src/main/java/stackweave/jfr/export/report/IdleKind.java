package stackweave.jfr.export.report;

import java.util.List;
import java.util.regex.Pattern;
import stackweave.jfr.event.ThreadState;
import stackweave.jfr.export.CodeOrigin;
import stackweave.jfr.read.SampledFrame;

/**
 * Kinds of waits of idle threads, by the methods in which they wait. All other waits count as
 * waiting inside work. docs/waiting.md has the same list.
 */
enum IdleKind {
  /** No task: a pool's queue, a timer's. */
  POOL(
      "in a pool's queue",
      "(.*[.])?ThreadPoolExecutor[.]getTask"
          + "|java[.]util[.]concurrent[.]ForkJoinPool[.]awaitWork"
          + "|java[.]util[.]TimerThread[.]mainLoop"
          + "|java[.]util[.]concurrent[.]DelayScheduler[.]loop"
          + "|.*[.]SingleThreadEventExecutor[.]takeTask"
          + "|.*[.]QueuedThreadPool[^ ]*[.](idleJobPoll|reservedWait)"
          + "|.*[.]ReservedThreadExecutor[^ ]*[.]reservedWait"
          + "|.*[.]CoroutineScheduler[$]Worker[.](park|tryPark)"),
  /** No event: an event loop's epoll, or the poller of virtual threads. */
  SELECTOR(
      "in a selector",
      "sun[.]nio[.]ch[.]SelectorImpl[.](lockAndDoSelect|select)"
          + "|sun[.]nio[.]ch[.]Poller[.][A-Za-z]*[Ll]oop"
          + "|io[.]netty[.]channel[.][^ ]*[.]Native[.]epollWait.*"),
  /** No connection: an acceptor. */
  ACCEPT(
      "for a connection",
      "sun[.]nio[.]ch[.](NioSocketImpl|ServerSocketChannelImpl|ServerSocketAdaptor)[.]accept"
          + "|java[.]net[.]ServerSocket[.](accept|implAccept)"),
  /** Threads of the JVM: those of libjvm without a Java frame, and those that it starts in Java. */
  JVM(
      "the JVM's own",
      "java[.]lang[.]ref[.]Reference[$]ReferenceHandler[.]run"
          + "|java[.]lang[.]ref[.]Finalizer[$]FinalizerThread[.]run"
          + "|jdk[.]internal[.]ref[.]CleanerImpl[.]run"
          + "|java[.]lang[.]VirtualThread[.]takeVirtualThreadListToUnblock"
          + "|jdk[.]jfr[.]internal[.]PlatformRecorder[.](periodicTask|takeNap)");

  private final String label;
  private final Pattern methods;

  IdleKind(String label, String methods) {
    this.label = label;
    this.methods = Pattern.compile("(" + methods + ")");
  }

  /** What such a thread waits for, for people. */
  String label() {
    return label;
  }

  /**
   * The kind of a wait; null if the thread ran, could have run, or waited inside work.
   *
   * @param state its label
   * @param frames the thread's first frame first
   */
  static IdleKind of(String state, List<SampledFrame> frames) {
    if (!ThreadState.isBlocked(state)) {
      return null;
    }
    boolean hasJava = false;
    boolean hasJvm = false;
    for (SampledFrame frame : frames) {
      String origin = CodeOrigin.of(frame);
      hasJvm |= origin.equals(CodeOrigin.JVM);
      if (!origin.equals(CodeOrigin.JAVA)) {
        continue;
      }
      hasJava = true;
      String text = frame.text();
      for (IdleKind kind : values()) {
        if (kind.methods.matcher(text).matches()) {
          return kind;
        }
      }
    }
    return hasJvm && !hasJava ? JVM : null;
  }
}
