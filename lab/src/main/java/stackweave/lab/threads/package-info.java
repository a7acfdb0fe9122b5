/**
 * What sampling costs where there are many threads, thread starts or CPUs: the command {@code
 * lab/threads}.
 */
package stackweave.lab.threads;
