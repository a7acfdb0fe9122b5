/**
 * What hurts a profiler, a class each: collections, deoptimization, unloading, other profilers,
 * forks and more.
 */
package stackweave.lab.chaos.antagonist;
