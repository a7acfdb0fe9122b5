/** Timed calls of native methods, as a feature of sampling. */
package stackweave.agent.feature.call;
