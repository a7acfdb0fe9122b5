/**
 * The agent's start in a JVM: reads its options, lists the features, runs the sampler, answers
 * orders of the command line.
 */
package stackweave.agent;
