/** What commands need of a sampler that works in their own JVM. */
package stackweave.agent.cli.outside;
