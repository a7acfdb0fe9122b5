/** Stacks that are deeper than what is copied of them. */
package stackweave.live.deep;
