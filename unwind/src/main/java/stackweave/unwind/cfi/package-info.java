/** Turns DWARF call frame information (.eh_frame with .eh_frame_hdr, .debug_frame) into rules. */
package stackweave.unwind.cfi;
