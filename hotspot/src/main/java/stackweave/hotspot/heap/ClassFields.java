package stackweave.hotspot.heap;

import stackweave.hotspot.memory.MemoryCopy;
import stackweave.hotspot.method.Unsigned5;
import stackweave.hotspot.vmstructs.Layout;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Names and fields of the VM's classes ({@code instanceKlass.hpp}, {@code fieldInfo.hpp}). Used
 * when a class is first met; not thread-safe.
 */
final class ClassFields {
  /** What {@link #offset} says of a field that the class does not have. */
  static final int NONE = -1;

  /** Of an object; those looked for are among the first. */
  private static final int MAX_OFFSET = 1 << 12;

  private static final int MAX_FIELDS = 1 << 10;
  private static final int MAX_BYTES = 1 << 14;

  // Up to JDK 20: six numbers of 16 bits for each field, of which two are its offset and two bits.
  private static final int SLOTS = 6;
  private static final int NAME_SLOT = 1;
  private static final int SIGNATURE_SLOT = 2;
  private static final int OFFSET_SLOT = 4;
  private static final int OFFSET_TAG_BITS = 2;

  // From JDK 21 on: bits of a field's flags that say what else the stream has of it.
  private static final int INITIALIZED = 1;
  private static final int GENERIC = 1 << 2;
  private static final int CONTENDED = 1 << 4;

  private final Layout layout;
  private final MemoryReader memory;
  private final Unsigned5 stream;
  private final MemoryCopy fields = new MemoryCopy(512);
  private final MemoryCopy symbol = new MemoryCopy(64);

  ClassFields(Layout layout, MemoryReader memory) {
    this.layout = layout;
    this.memory = memory;
    this.stream = new Unsigned5(layout.unsigned5ExcludesZero);
  }

  /** Whether the class is named so, as in {@code java/lang/Thread}. */
  boolean isNamed(long klass, String name) throws UnreadableMemoryException {
    return isSymbol(memory.readLong(klass + layout.klassName.offset()), name);
  }

  /**
   * Where objects have a field that the class itself declares, in bytes, or {@link #NONE}.
   *
   * @param name null for the first of that type
   */
  int offset(long klass, String name, String signature) throws UnreadableMemoryException {
    long constants = memory.readLong(klass + layout.klassConstants.offset());
    long array = memory.readLong(klass + layout.classFields.offset());
    int length = (int) memory.readLong(array + layout.methodArrayLength.offset());
    int width = layout.javaFieldsCount == null ? Byte.BYTES : Short.BYTES;
    if (length <= 0 || length > MAX_BYTES / width) {
      return NONE;
    }
    fields.copy(memory, array + layout.classFieldsData.offset(), length * width);
    int offset =
        layout.javaFieldsCount == null
            ? inStream(constants, name, signature)
            : inSlots(klass, constants, name, signature);
    return offset < 0 || offset > MAX_OFFSET ? NONE : offset;
  }

  private int inSlots(long klass, long constants, String name, String signature)
      throws UnreadableMemoryException {
    long counted = memory.readLong(klass + layout.javaFieldsCount.offset()) & 0xffff;
    int count = (int) Math.min(counted, fields.length() / (SLOTS * Short.BYTES));
    for (int i = 0; i < count; i++) {
      int field = i * SLOTS * Short.BYTES;
      if (isField(
          constants, slot(field, NAME_SLOT), name, slot(field, SIGNATURE_SLOT), signature)) {
        return fields.i4(field + OFFSET_SLOT * Short.BYTES) >>> OFFSET_TAG_BITS;
      }
    }
    return NONE;
  }

  private int slot(int field, int slot) {
    return fields.u2(field + slot * Short.BYTES);
  }

  private int inStream(long constants, String name, String signature)
      throws UnreadableMemoryException {
    stream.at(fields.bytes(), 0, fields.length());
    int count = Math.min(MAX_FIELDS, stream.next());
    stream.next(); // the fields that the VM adds, which come last
    for (int i = 0; i < count; i++) {
      int nameIndex = stream.next();
      int signatureIndex = stream.next();
      int offset = stream.next();
      stream.next(); // its access flags
      int flags = stream.next();
      for (int more : new int[] {INITIALIZED, GENERIC, CONTENDED}) {
        if ((flags & more) != 0) {
          stream.next();
        }
      }
      if (isField(constants, nameIndex, name, signatureIndex, signature)) {
        return offset;
      }
    }
    return NONE;
  }

  private boolean isField(
      long constants, int nameIndex, String name, int signatureIndex, String signature)
      throws UnreadableMemoryException {
    return (name == null || isSymbol(entry(constants, nameIndex), name))
        && isSymbol(entry(constants, signatureIndex), signature);
  }

  private long entry(long constants, int index) throws UnreadableMemoryException {
    return memory.readLong(constants + layout.constantPoolSize + 8L * (index & 0xffff));
  }

  private boolean isSymbol(long address, String text) throws UnreadableMemoryException {
    int body = (int) layout.symbolBody.offset();
    if (address == 0) {
      return false;
    }
    symbol.copy(memory, address, body);
    if (layout.symbolLength.intIn(symbol) != text.length()) {
      return false;
    }
    symbol.copy(memory, address, body + text.length());
    return text.equals(symbol.text(body, text.length()));
  }
}
