/**
 * HotSpot's frames, read the way the Serviceability Agent reads them: through the exported
 * vmStructs, over a {@link stackweave.unwind.MemoryReader}, with no call into the VM.
 */
package stackweave.hotspot;
