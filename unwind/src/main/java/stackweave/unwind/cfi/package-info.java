/** DWARF call frame information: .eh_frame and .eh_frame_hdr into rules. */
package stackweave.unwind.cfi;
