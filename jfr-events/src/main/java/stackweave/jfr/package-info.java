/**
 * The events, the stack store that writes them, and the reader that turns recordings into stacks
 * again.
 */
package stackweave.jfr;
