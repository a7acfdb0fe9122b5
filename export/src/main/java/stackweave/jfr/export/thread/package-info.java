/** Names of threads that were renamed, and groups of threads that count as one pool. */
package stackweave.jfr.export.thread;
