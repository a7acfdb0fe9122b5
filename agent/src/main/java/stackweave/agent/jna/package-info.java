/**
 * What stands in our copy of JNA for the parts that the build takes out of it (see JnaRewriter in
 * agent-packaging). These classes are in JNA's module; none of our code calls them.
 */
package stackweave.agent.jna;
