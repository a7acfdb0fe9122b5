/**
 * Whether samples are in proportion to CPU time, whatever a thread does: the command {@code
 * lab/shares}, and the program whose threads say what they have used.
 */
package stackweave.lab.shares;
