package stackweave.agent.drain;

import java.lang.instrument.Instrumentation;
import java.util.List;
import stackweave.agent.decode.failure.FailureFiles;
import stackweave.agent.feature.Feature;
import stackweave.agent.jdk.VmThreadAddress;
import stackweave.agent.jdk.compiler.CompilerLimit;
import stackweave.agent.jdk.hook.HookException;
import stackweave.agent.jdk.hook.ThreadStartHook;
import stackweave.agent.message.Messages;
import stackweave.agent.option.Options;
import stackweave.engine.ThreadStarts;
import stackweave.hotspot.runtime.JavaThreads;

/** Objects that exist as long as the agent, and are used by one drain thread after the other. */
final class AgentTools implements AutoCloseable {
  private final Instrumentation instrumentation;
  private final Messages messages;
  private final List<Feature> features;
  private final boolean mayHook;
  private final FailureFiles failureFiles;

  /** Null if C2 may compile the agent's classes. */
  private final CompilerLimit compilerLimit;

  /** In {@code Thread.start}; null before it is instrumented. */
  private ThreadStartHook hook;

  /**
   * @param instrumentation null in tests
   */
  AgentTools(
      Instrumentation instrumentation, Messages messages, List<Feature> features, Options options) {
    this.instrumentation = instrumentation;
    this.messages = messages;
    this.features = features;
    this.mayHook = options.mayInstrument();
    this.failureFiles =
        options.recordFailures().isEmpty()
            ? null
            : new FailureFiles(options.recordFailures(), messages);
    this.compilerLimit =
        options.jit() == Options.Jit.C1 ? new CompilerLimit(instrumentation) : null;
  }

  Instrumentation instrumentation() {
    return instrumentation;
  }

  Messages messages() {
    return messages;
  }

  List<Feature> features() {
    return features;
  }

  /** Where replay files of incomplete stacks go; null: none are written. */
  FailureFiles failureFiles() {
    return failureFiles;
  }

  /** Keeps C2 away from the agent's classes, where that is wanted; returns before it is done. */
  void limitCompilers() {
    if (compilerLimit != null) {
      compilerLimit.begin();
    }
  }

  /** Why C2 compiles the agent's classes, too; empty if it does not, or is allowed to. */
  String compilerNote() {
    return compilerLimit == null ? "" : compilerLimit.note();
  }

  /**
   * Instruments {@code Thread.start} if permitted.
   *
   * @param vmThreads null if they are not known
   * @return what tells which threads have started
   * @throws HookException why it is not instrumented although it would help
   */
  ThreadStarts hookThreadStarts(JavaThreads vmThreads) throws HookException {
    if (!mayHook) {
      return ThreadStarts.NONE;
    }
    if (vmThreads == null) {
      throw new HookException(
          "Thread.start is not instrumented, for this VM's threads are not known", null);
    }
    try {
      if (hook == null) {
        hook = ThreadStartHook.install(instrumentation);
      }
      VmThreadAddress address = new VmThreadAddress();
      hook.resume();
      return visitor ->
          hook.take(thread -> vmThreads.stackOf(address.of(thread), visitor::started));
    } catch (HookException | ReflectiveOperationException e) {
      throw new HookException(
          "Thread.start is not instrumented, so short threads may be missed: " + e.getMessage(), e);
    }
  }

  /** Pauses the instrumentation of {@code Thread.start}. */
  void unhookThreadStarts() {
    if (hook != null) {
      hook.pause();
    }
  }

  /** Undoes what outlives sampling. To be called when there is no drain thread any more. */
  @Override
  public void close() {
    if (hook != null) {
      try {
        hook.remove(instrumentation);
      } catch (HookException e) {
        messages.sampling(e.getMessage());
      }
      hook = null;
    }
    for (Feature feature : features) {
      feature.remove();
    }
  }
}
