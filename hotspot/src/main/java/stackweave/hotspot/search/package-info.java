/**
 * What is tried where neither unwind tables nor code lead on: the frame pointer of a blocked
 * thread, the stack's words, the thread's last Java frame.
 */
package stackweave.hotspot.search;
