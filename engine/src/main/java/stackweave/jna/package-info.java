/**
 * Replacements of the JNA classes that the build takes out of the agent's copy of JNA (see
 * JnaRewriter in agent-packaging). These classes are in JNA's module; only JNA calls them.
 */
package stackweave.jna;
