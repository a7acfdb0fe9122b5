package stackweave.unwind.table;

import java.util.ArrayList;
import java.util.List;
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
 * @param architecture of the image, never null
 * @param moreSFrame the other .sframe sections of an image that has several: objects have one for
 *     each group, and not every linker makes one of them
 */
public record UnwindSections(
    Section sframe,
    Section ehFrameHdr,
    Section ehFrame,
    Section debugFrame,
    Architecture architecture,
    List<Section> moreSFrame) {
  /** Copies the list. */
  public UnwindSections {
    Objects.requireNonNull(architecture, "architecture");
    moreSFrame = List.copyOf(moreSFrame);
  }

  /** The sections of an image with at most one .sframe. */
  public UnwindSections(
      Section sframe,
      Section ehFrameHdr,
      Section ehFrame,
      Section debugFrame,
      Architecture architecture) {
    this(sframe, ehFrameHdr, ehFrame, debugFrame, architecture, List.of());
  }

  /** No section at all. */
  public static UnwindSections none(Architecture architecture) {
    return new UnwindSections(null, null, null, null, architecture);
  }

  /** All .sframe sections; empty where there is none. */
  public List<Section> allSFrame() {
    List<Section> all = new ArrayList<>();
    if (sframe != null) {
      all.add(sframe);
    }
    all.addAll(moreSFrame);
    return all;
  }

  /** These sections, with other .sframe sections. */
  public UnwindSections withSFrame(List<Section> sections) {
    return new UnwindSections(
        sections.isEmpty() ? null : sections.get(0),
        ehFrameHdr,
        ehFrame,
        debugFrame,
        architecture,
        sections.subList(Math.min(1, sections.size()), sections.size()));
  }
}
