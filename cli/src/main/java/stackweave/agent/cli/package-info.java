/**
 * The command line: {@code java -jar stackweave-agent.jar}, reads recordings and writes exports.
 */
package stackweave.agent.cli;
