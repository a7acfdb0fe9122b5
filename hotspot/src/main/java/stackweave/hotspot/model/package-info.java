/**
 * What an unwound stack consists of: frames, their kinds, the names of methods and stubs, and
 * counters of what unwinding took. Knows nothing of a VM or of how a stack is unwound.
 */
package stackweave.hotspot.model;
