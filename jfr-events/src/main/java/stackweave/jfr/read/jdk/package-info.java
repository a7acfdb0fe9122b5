/**
 * Samples that JFR itself or async-profiler took: events with stack traces of JFR's own. {@code
 * JdkSurvey} finds out what a recording has of them, {@code JdkSamples} what is chosen and what it
 * stands for, {@code JdkDefinitions} makes the stacks those of a session.
 */
package stackweave.jfr.read.jdk;
