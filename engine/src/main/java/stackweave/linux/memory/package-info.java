/**
 * Memory of the process that needs no fault-safe reading: mapped for good, or by the agent itself.
 */
package stackweave.linux.memory;
