package stackweave.agent.jdk.hook;

import net.bytebuddy.asm.Advice;

/**
 * Byte Buddy advice whose code is copied to the end of every {@code Thread.start}, after the thread
 * was started; it never runs here. What it throws is suppressed.
 */
final class ThreadStartAdvice {
  private ThreadStartAdvice() {}

  @Advice.OnMethodExit(suppress = Throwable.class)
  static void exit(@Advice.This Thread started) {
    StartedThreads.add(started);
  }
}
