/**
 * Whether samples are in proportion to CPU time, whatever a thread does: the command {@code
 * verification/shares}, and the program whose threads say what they have used.
 */
package stackweave.verify.shares;
