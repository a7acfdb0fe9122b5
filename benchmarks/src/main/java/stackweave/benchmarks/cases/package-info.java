/**
 * Records the replay files that hotspot's tests keep as fixtures: samples of named situations, out
 * of a JVM at work. Run by hand, when a JDK is added; see hotspot/src/test/resources/replay.
 */
package stackweave.benchmarks.cases;
