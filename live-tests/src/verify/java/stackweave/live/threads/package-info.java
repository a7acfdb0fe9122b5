/** Samples are in proportion to each thread's CPU time, on whatever threads and engine. */
package stackweave.live.threads;
