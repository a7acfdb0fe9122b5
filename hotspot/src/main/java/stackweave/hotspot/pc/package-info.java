/**
 * All that is known of one pc in the code cache, decoded once: blob, Java frames, state of an
 * interrupted frame.
 */
package stackweave.hotspot.pc;
