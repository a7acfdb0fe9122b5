/**
 * How the memory of the running VM is read: through the kernel, by pages where that saves calls,
 * and directly where the VM never gives memory back.
 */
package stackweave.hotspot.memory;
