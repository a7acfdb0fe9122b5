/** Threads that wait, and how long they were blocked. */
package stackweave.live.waiting;
