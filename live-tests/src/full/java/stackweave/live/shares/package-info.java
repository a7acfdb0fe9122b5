/** Whether samples are in proportion to CPU time, whatever a thread does. */
package stackweave.live.shares;
