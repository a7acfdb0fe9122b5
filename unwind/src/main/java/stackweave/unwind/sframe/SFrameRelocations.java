package stackweave.unwind.sframe;

import java.nio.ByteBuffer;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.MalformedSectionException.Reason;
import stackweave.unwind.section.Section;

/**
 * SFrame sections of relocatable objects: their start addresses stand in the relocations.
 *
 * <p>Assemblers before errata 1 leave {@link SFrameElement#FLAG_START_PCREL} clear although the
 * relocated value is relative to its field, so the value that a relocation would store is no use;
 * its target is.
 */
public final class SFrameRelocations {
  private SFrameRelocations() {}

  /**
   * A copy of a section whose functions start where the relocations point to.
   *
   * @param offsets of the relocated fields in the section
   * @param targets what the fields refer to: symbol value plus addend, one for each offset
   * @throws MalformedSectionException if the section is malformed, or a relocation is for no
   *     function's start
   */
  public static Section apply(Section section, long[] offsets, long[] targets)
      throws MalformedSectionException {
    ByteBuffer copy = ByteBuffer.allocate(section.bytes().limit());
    copy.put(section.bytes().duplicate().rewind());
    copy.rewind();
    for (int i = 0; i < offsets.length; i++) {
      if (offsets[i] < 0 || offsets[i] >= copy.limit()) {
        throw new MalformedSectionException(Reason.TRUNCATED, Math.max(0, offsets[i]));
      }
    }
    int at = 0;
    while (at < copy.limit()) {
      if (at > 0 && copy.get(at) == 0) {
        at++;
        continue;
      }
      SFrameElement element = SFrameElement.read(copy, at, section.address());
      for (int i = 0; i < offsets.length; i++) {
        if (offsets[i] >= at && offsets[i] < element.end) {
          relocate(element, (int) offsets[i], targets[i], section.address());
        }
      }
      at = element.end;
    }
    return new Section(copy.order(section.bytes().order()), section.address());
  }

  /**
   * Whether a relocated section says by itself where its functions start, as since errata 1. Other
   * sections of relocatable objects are listed by GNU tools with all functions at 0.
   *
   * @throws MalformedSectionException if the first header can't be read
   */
  public static boolean isFieldRelative(Section section) throws MalformedSectionException {
    SFrameElement first = SFrameElement.read(section.bytes(), 0, section.address());
    return (first.flags & SFrameElement.FLAG_START_PCREL) != 0;
  }

  private static void relocate(SFrameElement element, int offset, long target, long address)
      throws MalformedSectionException {
    int fromTable = offset - element.fdeOffset;
    if (fromTable < 0
        || fromTable % element.fdeSize != 0
        || fromTable / element.fdeSize >= element.fdeCount) {
      throw new MalformedSectionException(Reason.BAD_LAYOUT, offset);
    }
    boolean pcRelative = (element.flags & SFrameElement.FLAG_START_PCREL) != 0;
    long value = target - address - (pcRelative ? offset : element.offset);
    if (element.version == 3) {
      element.bytes.putLong(offset, value);
    } else {
      element.bytes.putInt(offset, (int) value);
    }
  }
}
