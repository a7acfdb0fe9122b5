/** Samples of other events than CPU time: native memory, breakpoints and the like. */
package stackweave.live.events;
