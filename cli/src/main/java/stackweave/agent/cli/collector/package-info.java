/** The options of the commands that send profiles to an OpenTelemetry collector. */
package stackweave.agent.cli.collector;
