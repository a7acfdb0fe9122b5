package stackweave.unwind.cfi;

import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.MalformedSectionException.Reason;
import stackweave.unwind.section.SectionReader;

/**
 * The CIEs and FDEs of .eh_frame or .debug_frame. One FDE is open at a time: {@link #openFde} fills
 * the fields, {@link CallFrameProgram} runs what they point to. Not thread-safe.
 *
 * <p>Sources: LSB Core "Exception Frames"; DWARF 5 section 6.4.1.
 */
final class CallFrameInfo {
  private static final long EXTENDED_LENGTH = 0xffff_ffffL;
  private static final long DEBUG_CIE_ID_32 = 0xffff_ffffL;
  private static final int NO_CIE = -1;

  /**
   * Initial instructions are a handful of bytes, and run again for each function: without a bound,
   * the time for a malicious section would grow with the square of its size.
   */
  private static final int MAX_CIE_PROGRAM = 1024;

  final SectionReader reader;
  private final boolean debugFrame;
  private final long dataBase;

  // The entry header at hand.
  private int bodyOffset;
  private int entryEnd;
  private int idOffset;
  private boolean isCie;
  private long ciePosition;

  // The CIE of the open FDE; kept while FDEs of the same CIE follow each other.
  private int cieOffset = NO_CIE;
  int cieProgram;
  int cieProgramEnd;
  long codeAlignment;
  long dataAlignment;
  int raColumn;
  boolean signalFrame;

  /** AArch64: return addresses are signed with key B rather than A (AADWARF64 section 5). */
  boolean keyB;

  private int pointerEncoding;
  private boolean sizedAugmentation;

  // The open FDE.
  long functionStart;
  long functionSize;
  int program;
  int programEnd;

  CallFrameInfo(SectionReader reader, boolean debugFrame, long dataBase) {
    this.reader = reader;
    this.debugFrame = debugFrame;
    this.dataBase = dataBase;
  }

  /** Encoding of addresses in the open FDE. */
  int pointerEncoding() {
    return pointerEncoding;
  }

  /**
   * Reads the entry header at an offset.
   *
   * @return the offset of the next entry, or -1 at the terminator or the end of the section
   */
  int openEntry(long offset) throws MalformedSectionException {
    if (offset < 0 || offset > reader.size()) {
      throw new MalformedSectionException(Reason.TRUNCATED, Math.max(0, offset));
    }
    if (offset + 4 > reader.size()) {
      return -1;
    }
    reader.range(offset, reader.size());
    long length = reader.u4();
    boolean wide = length == EXTENDED_LENGTH;
    if (wide) {
      length = reader.s8();
    }
    if (length == 0) {
      return -1;
    }
    idOffset = reader.position();
    if (length < 0 || length > reader.size() - idOffset) {
      throw new MalformedSectionException(Reason.TRUNCATED, offset);
    }
    entryEnd = (int) (idOffset + length);
    reader.range(idOffset, entryEnd);
    if (debugFrame) {
      long id = wide ? reader.s8() : reader.u4();
      isCie = id == (wide ? -1L : DEBUG_CIE_ID_32);
      ciePosition = id;
    } else {
      // .eh_frame: the id is the distance back to the CIE, 4 bytes in either length format.
      long id = reader.u4();
      isCie = id == 0;
      ciePosition = idOffset - id;
    }
    bodyOffset = reader.position();
    return entryEnd;
  }

  /** Whether the entry that {@link #openEntry} read is a CIE. */
  boolean isCie() {
    return isCie;
  }

  /** Opens the FDE at an offset, with its CIE. */
  void openFde(long offset) throws MalformedSectionException {
    if (openEntry(offset) < 0 || isCie) {
      throw new MalformedSectionException(Reason.NO_CIE, offset);
    }
    int body = bodyOffset;
    int end = entryEnd;
    if (ciePosition != cieOffset) {
      openCie(ciePosition);
    }
    reader.range(body, end);
    functionStart = reader.pointer(pointerEncoding, dataBase);
    functionSize = reader.plainPointer(pointerEncoding & 0x07);
    if (sizedAugmentation) {
      reader.skip(reader.uleb());
    }
    program = reader.position();
    programEnd = end;
  }

  private void openCie(long offset) throws MalformedSectionException {
    cieOffset = NO_CIE;
    if (openEntry(offset) < 0 || !isCie) {
      throw new MalformedSectionException(Reason.NO_CIE, Math.max(0, offset));
    }
    int version = reader.u1();
    if (version != 1 && version != 3 && version != 4) {
      throw new MalformedSectionException(Reason.UNKNOWN_VERSION, offset);
    }
    int augmentation = reader.position();
    while (reader.u1() != 0) {
      // to the end of the string
    }
    int augmentationEnd = reader.position() - 1;
    if (version == 4) {
      int addressSize = reader.u1();
      int segmentSize = reader.u1();
      if (addressSize != 8 || segmentSize != 0) {
        throw new MalformedSectionException(Reason.BAD_ENCODING, offset);
      }
    }
    codeAlignment = reader.uleb();
    dataAlignment = reader.sleb();
    raColumn = version == 1 ? reader.u1() : reader.register();
    pointerEncoding = SectionReader.ENCODING_ABSOLUTE;
    sizedAugmentation = false;
    signalFrame = false;
    keyB = false;
    readAugmentation(augmentation, augmentationEnd, offset);
    cieProgramEnd = entryEnd;
    if (cieProgramEnd - cieProgram > MAX_CIE_PROGRAM) {
      throw new MalformedSectionException(Reason.BAD_PROGRAM, offset);
    }
    cieOffset = (int) offset;
  }

  /** Reads the letters of the augmentation string, with the data they announce. */
  private void readAugmentation(int from, int to, long cie) throws MalformedSectionException {
    int data = reader.position();
    int end = entryEnd;
    int dataEnd = -1;
    for (int at = from; at < to; at++) {
      reader.range(at, to);
      int letter = reader.u1();
      reader.range(data, dataEnd < 0 ? end : dataEnd);
      switch (letter) {
        case 'z' -> {
          sizedAugmentation = true;
          long length = reader.uleb();
          data = reader.position();
          reader.skip(length);
          dataEnd = reader.position();
          reader.range(data, dataEnd);
        }
        case 'R' -> pointerEncoding = reader.u1();
        case 'L' -> reader.u1();
        case 'P' -> {
          int encoding = reader.u1();
          if (encoding != SectionReader.ENCODING_OMIT) {
            reader.plainPointer(encoding);
          }
        }
        case 'S' -> signalFrame = true;
        case 'B' -> keyB = true;
        case 'G' -> {} // AArch64: MTE stack tags
        default -> {
          if (dataEnd < 0) {
            throw new MalformedSectionException(Reason.UNKNOWN_AUGMENTATION, cie);
          }
          // Sized augmentation data can be skipped, whatever the rest of the letters say.
          at = to;
        }
      }
      data = reader.position();
    }
    cieProgram = dataEnd < 0 ? data : dataEnd;
  }
}
