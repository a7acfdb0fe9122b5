package stackweave.hotspot.heap;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Pattern;
import stackweave.hotspot.memory.MemoryCopy;
import stackweave.hotspot.runtime.VmFlags;
import stackweave.hotspot.vmstructs.Layout;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Reads objects of the Java heap: their classes, references and texts ({@code oop.hpp}, {@code
 * arrayOop.hpp}, {@code markWord.hpp}). What is read is only as good as the reference that led to
 * it. Not thread-safe.
 */
final class HeapObjects {
  private static final Pattern FLAGS =
      Pattern.compile("UseCompressedOops|UseCompressedClassPointers|UseCompactObjectHeaders");

  /** Characters of a text; of a longer one nothing is read. */
  private static final int MAX_CHARS = 1 << 12;

  /** The bits of an object's mark that say that it has a copy, whose address the others are. */
  private static final long FORWARDED = 3;

  /** The layout helper of an array of bytes: all but the number of bytes before the elements. */
  private static final int BYTE_ARRAY = 0xc000_0800;

  private static final int FIRST_ELEMENT_SHIFT = 16;
  private static final int COMPACT_HEADER_BYTES = 8;
  private static final int NARROW_HEADER_BYTES = 12;
  private static final int WIDE_HEADER_BYTES = 16;
  private static final byte LATIN1 = 0;
  private static final byte UTF16 = 1;

  private final Layout layout;
  private final MemoryReader memory;
  private final boolean forwards;
  private final boolean narrow;
  private final long base;
  private final int shift;
  private final int headerBytes;
  private final long klassBase;
  private final int klassShift;
  private final ClassFields classes;
  private final MemoryCopy object = new MemoryCopy(64);
  private final MemoryCopy array = new MemoryCopy(256);

  // Of java.lang.String, once one was met.
  private long string;
  private int value;
  private int coder;

  /**
   * @param forwards whether objects that have been copied lead to their copies while threads run
   */
  HeapObjects(Layout layout, MemoryReader memory, boolean forwards)
      throws UnreadableMemoryException {
    this.layout = layout;
    this.memory = memory;
    this.forwards = forwards;
    Map<String, Boolean> flags = VmFlags.read(layout, memory, FLAGS);
    narrow = flags.getOrDefault("UseCompressedOops", false);
    base = memory.readLong(layout.oopBase.offset());
    shift = (int) memory.readLong(layout.oopShift.offset());
    // JDK 27 has no other class pointers than compressed ones, and no flag.
    boolean narrowKlass = flags.getOrDefault("UseCompressedClassPointers", true);
    boolean compact =
        flags.getOrDefault("UseCompactObjectHeaders", false) && layout.markKlassShift != 0;
    headerBytes =
        compact ? COMPACT_HEADER_BYTES : narrowKlass ? NARROW_HEADER_BYTES : WIDE_HEADER_BYTES;
    klassBase = memory.readLong(layout.narrowKlassBase.offset());
    klassShift = (int) memory.readLong(layout.narrowKlassShift.offset());
    classes = new ClassFields(layout, memory);
  }

  /** What {@link ClassFields} knows of the classes. */
  ClassFields classes() {
    return classes;
  }

  /** The object, or its copy where it has been copied. */
  long present(long address) throws UnreadableMemoryException {
    long mark = forwards && address != 0 ? memory.readLong(address) : 0;
    return (mark & FORWARDED) == FORWARDED ? mark & ~FORWARDED : address;
  }

  /** The class of an object. */
  long klass(long address) throws UnreadableMemoryException {
    return switch (headerBytes) {
      case COMPACT_HEADER_BYTES -> wideKlass(memory.readLong(address) >>> layout.markKlassShift);
      case NARROW_HEADER_BYTES ->
          wideKlass(memory.readLong(address + layout.objectKlass.offset()) & 0xffff_ffffL);
      default -> memory.readLong(address + layout.objectKlass.offset());
    };
  }

  private long wideKlass(long narrowKlass) {
    return klassBase + (narrowKlass << klassShift);
  }

  /** The reference in a field; 0 for null. */
  long reference(long address, int offset) throws UnreadableMemoryException {
    long word = memory.readLong(address + offset);
    if (!narrow) {
      return present(word);
    }
    long oop = word & 0xffff_ffffL;
    return oop == 0 ? 0 : present(base + (oop << shift));
  }

  /** The text of a String; null if there is none, or it is longer than {@link #MAX_CHARS}. */
  String text(long address) throws UnreadableMemoryException {
    if (address == 0 || !isString(klass(address))) {
      return null;
    }
    object.copy(memory, address, Math.max(value + Long.BYTES, coder + 1));
    int kind = object.u1(coder);
    long bytes = reference(address, value);
    int first = bytes == 0 ? 0 : firstElement(klass(bytes));
    if (first == 0) {
      return null;
    }
    int length = (int) memory.readLong(bytes + headerBytes);
    if (length < 0 || length > MAX_CHARS << kind || kind > UTF16) {
      return null;
    }
    array.copy(memory, bytes + first, length);
    return new String(
        array.bytes(),
        0,
        length,
        kind == LATIN1 ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_16LE);
  }

  private boolean isString(long klass) throws UnreadableMemoryException {
    if (string == 0 && classes.isNamed(klass, "java/lang/String")) {
      value = classes.offset(klass, "value", "[B");
      coder = classes.offset(klass, "coder", "B");
      string = value > 0 && coder > 0 ? klass : 0;
    }
    return string != 0 && klass == string;
  }

  /** Where an array of bytes has its first; 0 if the class is another one. */
  private int firstElement(long klass) throws UnreadableMemoryException {
    int helper = (int) memory.readLong(klass + layout.klassLayout.offset());
    int first = helper >>> FIRST_ELEMENT_SHIFT & 0xff;
    return (helper & ~(0xff << FIRST_ELEMENT_SHIFT)) == BYTE_ARRAY ? first : 0;
  }
}
