/**
 * Antagonists: what makes work hard for a profiler or for the JVM that has one, run beside a load
 * whose results are known. {@code Chaos} forks a JVM for each antagonist, JDK and engine ({@code
 * ForkedRun}, {@code ChaosJvm}), watches its progress on the {@code Board}, reads the recordings
 * ({@code Recorded}) and writes a table ({@code Tables}).
 */
package stackweave.lab.chaos;
