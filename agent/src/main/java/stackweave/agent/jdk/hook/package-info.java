/**
 * What is instrumented while sampling goes on: {@code Thread.start}, which tells of new threads. By
 * Byte Buddy, on the drain thread, and undone when sampling ends. And, if that is asked for, {@code
 * RepositoryChunk.finish} of JFR, which tells of finished chunks.
 */
package stackweave.agent.jdk.hook;
