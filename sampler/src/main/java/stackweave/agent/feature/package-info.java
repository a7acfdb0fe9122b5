/**
 * What is recorded beside the samples of the CPU engine: the interface of a feature, and what runs
 * all of them on the drain thread. Each feature has a package of its own.
 */
package stackweave.agent.feature;
