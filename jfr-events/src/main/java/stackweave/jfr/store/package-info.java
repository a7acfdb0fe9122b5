/** The way into a recording: interned stacks, and chunks that each explain themselves. */
package stackweave.jfr.store;
