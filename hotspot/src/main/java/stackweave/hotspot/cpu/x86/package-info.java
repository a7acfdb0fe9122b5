/**
 * x86-64: registers, code patterns, instruction decoding, HotSpot's conventions and its
 * interpreter's frames.
 */
package stackweave.hotspot.cpu.x86;
