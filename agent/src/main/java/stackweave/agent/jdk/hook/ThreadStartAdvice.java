package stackweave.agent.jdk.hook;

import net.bytebuddy.asm.Advice;

/**
 * What is put at the end of every {@code Thread.start}, after the thread was started: its code is
 * copied there, and never runs here. Whatever it might throw is passed over.
 */
final class ThreadStartAdvice {
  private ThreadStartAdvice() {}

  @Advice.OnMethodExit(suppress = Throwable.class)
  static void exit(@Advice.This Thread started) {
    StartedThreads.add(started);
  }
}
