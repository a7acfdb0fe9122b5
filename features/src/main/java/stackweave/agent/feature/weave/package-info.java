/** Samples as JFR's own events in what the JVM records, as a feature of sampling. */
package stackweave.agent.feature.weave;
