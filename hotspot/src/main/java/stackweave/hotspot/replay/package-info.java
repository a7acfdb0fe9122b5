/**
 * Samples in files: recorded with all that their unwinding read of the process, and unwound again
 * anywhere, without the JVM that they came from.
 */
package stackweave.hotspot.replay;
