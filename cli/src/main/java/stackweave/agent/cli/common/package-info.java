/** What all commands share: options, output files, plain text, failures. */
package stackweave.agent.cli.common;
