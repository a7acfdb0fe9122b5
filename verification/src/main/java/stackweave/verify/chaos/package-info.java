/**
 * What hurts a profiler, and the JVM that has one: antagonists, each in a JVM of its own beside
 * work whose results are known.
 *
 * <p>The way: {@link stackweave.verify.chaos.Chaos} forks a JVM for each antagonist, JDK and engine
 * ({@code ForkedRun}), in which {@code ChaosJvm} runs the antagonist beside the {@code Load}; both
 * write what they have done to the {@code Board}, which the parent looks at to see that all of them
 * move. What the recordings say afterwards ({@code Recorded}) goes into a table ({@code Tables}).
 */
package stackweave.verify.chaos;
