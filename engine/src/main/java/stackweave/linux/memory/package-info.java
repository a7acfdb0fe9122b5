/** Memory that needs no fault-safe reading: never unmapped, or mapped by the agent itself. */
package stackweave.linux.memory;
