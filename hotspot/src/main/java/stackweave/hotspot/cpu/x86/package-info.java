/** x86-64: registers, code patterns, HotSpot's conventions and its interpreter's frames. */
package stackweave.hotspot.cpu.x86;
