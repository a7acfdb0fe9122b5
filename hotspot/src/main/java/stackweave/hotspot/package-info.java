/**
 * Unwinds stacks of native and HotSpot frames, out of a VM that is read through the vmStructs that
 * it exports, over a {@link stackweave.unwind.MemoryReader}, with no call into the VM: {@link
 * stackweave.hotspot.HotSpot} opens the VM, {@link stackweave.hotspot.MixedUnwinder} unwinds.
 */
package stackweave.hotspot;
