/** JMH benchmarks beside the hot paths, and side-by-side comparisons. */
package stackweave.benchmarks;
