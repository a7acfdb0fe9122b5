/**
 * What is instrumented while sampling goes on: {@code Thread.start}, which tells of new threads. By
 * Byte Buddy, on the drain thread, and undone when sampling ends. {@code open} of the JDK's loaded
 * libraries, which tells of loads. And, if that is asked for, {@code RepositoryChunk.finish} of
 * JFR, which tells of finished chunks. These two stay, and are idle while nobody listens.
 */
package stackweave.agent.jdk.hook;
