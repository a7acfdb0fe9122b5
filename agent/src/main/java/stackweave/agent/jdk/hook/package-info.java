/**
 * What is instrumented while sampling goes on: {@code Thread.start}, which tells of new threads. By
 * Byte Buddy, on the drain thread, and undone when sampling ends.
 */
package stackweave.agent.jdk.hook;
