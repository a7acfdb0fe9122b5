/**
 * What sampling costs where there are many threads, thread starts or CPUs: the command {@code
 * verification/threads}.
 */
package stackweave.verify.threads;
