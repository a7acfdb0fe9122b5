/** The commands on SFrame sections. */
package stackweave.agent.cli.sframe;
