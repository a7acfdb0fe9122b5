/**
 * What sampling costs the application: windows of fixed work in one JVM, in turns dormant, sampled
 * by the agent, and sampled by async-profiler. {@code lab/overhead} runs it.
 */
package stackweave.lab.overhead;
