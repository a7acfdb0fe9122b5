package stackweave.agent.drain;

import java.lang.instrument.Instrumentation;
import java.util.List;
import stackweave.agent.decode.failure.FailureFiles;
import stackweave.agent.decode.thread.StartedJavaThreads;
import stackweave.agent.decode.thread.ThreadStartHooks;
import stackweave.agent.feature.Feature;
import stackweave.agent.jdk.compiler.CompilerLimit;
import stackweave.agent.jdk.hook.HookException;
import stackweave.agent.message.Messages;
import stackweave.engine.ThreadStarts;
import stackweave.hotspot.runtime.JavaThreads;

/**
 * What exists as long as the agent, and is used by one drain thread after the other.
 *
 * @param instrumentation null in tests
 * @param hooks in {@code Thread.start}; null if classes of the JDK may not be instrumented
 * @param failureFiles where replay files of incomplete stacks go; null: none are written
 * @param compilerLimit null if C2 may compile the agent's classes
 */
record AgentTools(
    Instrumentation instrumentation,
    Messages messages,
    List<Feature> features,
    ThreadStartHooks hooks,
    FailureFiles failureFiles,
    CompilerLimit compilerLimit)
    implements AutoCloseable {

  static AgentTools of(
      Instrumentation instrumentation,
      Messages messages,
      List<Feature> features,
      SamplerSettings settings) {
    return new AgentTools(
        instrumentation,
        messages,
        features,
        settings.hooks() ? new ThreadStartHooks(instrumentation, messages) : null,
        settings.recordFailures().isEmpty()
            ? null
            : new FailureFiles(settings.recordFailures(), messages),
        settings.withoutC2() ? new CompilerLimit(instrumentation) : null);
  }

  /** Keeps C2 away from the agent's classes, where that is wanted; returns before it is done. */
  void limitCompilers() {
    if (compilerLimit != null) {
      compilerLimit.begin();
    }
  }

  /** Why C2 compiles the agent's classes, too; empty if it doesn't, or may. */
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
    if (hooks == null) {
      return ThreadStarts.NONE;
    }
    if (vmThreads == null) {
      throw new HookException(
          "Thread.start is not instrumented, for this VM's threads are not known", null);
    }
    try {
      return new StartedJavaThreads(hooks.begin(), vmThreads);
    } catch (HookException | ReflectiveOperationException e) {
      throw new HookException(
          "Thread.start is not instrumented, so short threads may be missed: " + e.getMessage(), e);
    }
  }

  /** Threads that start are no longer told of. */
  void unhookThreadStarts() {
    if (hooks != null) {
      hooks.end();
    }
  }

  /** Undoes what outlives sampling; call it when there is no drain thread any more. */
  @Override
  public void close() {
    if (hooks != null) {
      hooks.remove();
    }
    for (Feature feature : features) {
      feature.remove();
    }
  }
}
