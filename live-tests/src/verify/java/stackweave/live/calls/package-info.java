/** Timed native calls. */
package stackweave.live.calls;
