/**
 * Instruments, by Byte Buddy's ASM: {@code Thread.start}, for new threads, from when timers first
 * sample until the agent is detached; {@code open} of the JDK's loaded libraries, for loads; and,
 * if asked for, {@code RepositoryChunk.finish} of JFR, for finished chunks. All are idle without a
 * listener; the last two stay.
 */
package stackweave.agent.jdk.hook;
