/** What a thread is called that had several names, and which threads are counted as one pool. */
package stackweave.jfr.export.thread;
