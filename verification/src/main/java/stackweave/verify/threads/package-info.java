/**
 * What threads cost the kernel while they are sampled, on machines of many CPUs: {@link
 * stackweave.verify.threads.ManyThreads}.
 */
package stackweave.verify.threads;
