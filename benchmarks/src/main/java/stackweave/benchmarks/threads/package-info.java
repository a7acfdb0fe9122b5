/**
 * What threads cost the kernel while they are sampled, on machines of many CPUs: {@link
 * stackweave.benchmarks.threads.ManyThreads}.
 */
package stackweave.benchmarks.threads;
