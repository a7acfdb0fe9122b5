package stackweave.unwind.table;

import java.util.Objects;
import stackweave.unwind.Architecture;
import stackweave.unwind.section.Section;

/**
 * The sections of one ELF image that say how to unwind it; each may be null.
 *
 * @param sframe .sframe, found by type SHT_GNU_SFRAME, by name, or as segment PT_GNU_SFRAME
 * @param ehFrameHdr .eh_frame_hdr, or segment PT_GNU_EH_FRAME
 * @param ehFrame .eh_frame; may be longer than the section where its end is not known
 * @param debugFrame .debug_frame, uncompressed
 */
public record UnwindSections(
    Section sframe,
    Section ehFrameHdr,
    Section ehFrame,
    Section debugFrame,
    Architecture architecture) {
  public UnwindSections {
    Objects.requireNonNull(architecture, "architecture");
  }

  /** No section at all. */
  public static UnwindSections none(Architecture architecture) {
    return new UnwindSections(null, null, null, null, architecture);
  }
}
