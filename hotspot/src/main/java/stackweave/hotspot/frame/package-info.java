/**
 * How a frame of each kind in the code cache is left for its caller, and the state of the stack
 * that is being unwound.
 */
package stackweave.hotspot.frame;
