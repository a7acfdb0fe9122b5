/**
 * What is instrumented, by Byte Buddy's ASM: {@code Thread.start}, which tells of new threads, by
 * the drain thread when timers first sample, until the agent is detached; {@code open} of the JDK's
 * loaded libraries, which tells of loads; and, if that is asked for, {@code RepositoryChunk.finish}
 * of JFR, which tells of finished chunks. All are idle while nobody listens; the last two stay.
 */
package stackweave.agent.jdk.hook;
