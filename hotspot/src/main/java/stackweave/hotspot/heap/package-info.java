/**
 * Objects in the Java heap of a VM that this process is not, as far as samples need them: the names
 * of threads. Nothing here is right while objects move, and each reader says how it notices that.
 */
package stackweave.hotspot.heap;
