/** Files about samples that could not be unwound, for replay. */
package stackweave.agent.decode.failure;
