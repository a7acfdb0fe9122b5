/** Stacks that are larger than a sample's copy: their older part is read later and spliced. */
package stackweave.agent.decode.splice;
