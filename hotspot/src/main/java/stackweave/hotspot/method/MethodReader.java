package stackweave.hotspot.method;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import stackweave.hotspot.memory.MemoryCopy;
import stackweave.hotspot.model.HotSpotMethod;
import stackweave.hotspot.model.HotSpotMethods;
import stackweave.hotspot.vmstructs.Field;
import stackweave.hotspot.vmstructs.Layout;
import stackweave.unwind.HeapShare;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Reads a method's names, bytecodes and lines: Method → ConstMethod → ConstantPool → Symbols.
 * Called by the method cache.
 *
 * <p>A Method* may be stale, its memory reused. So all that is read is checked (sizes, printable
 * names, a valid descriptor), and the method must be listed by its class, be an older version of
 * one that is, or be one that the VM makes itself. Not thread-safe.
 */
public final class MethodReader {
  private static final int MAX_CONST_METHOD_BYTES = 1 << 20;
  private static final int MAX_POOL_ENTRIES = 1 << 16;
  private static final int MAX_METHODS = 1 << 16;
  private static final int ALL_CLASS_FILE_FLAGS = 0xffff;
  private static final int MAX_TEXTS = HeapShare.of(1 << 12);

  /** Longer texts are not kept for others. */
  private static final int MAX_SHARED_TEXT = 512;

  private final Layout layout;
  private final MemoryReader memory;
  private final HotSpotMethods methods;
  private final MemoryCopy method = new MemoryCopy(128);
  private final MemoryCopy constMethod = new MemoryCopy(4096);
  private final MemoryCopy listedConstMethod = new MemoryCopy(128);
  private final MemoryCopy pool = new MemoryCopy(128);
  private final MemoryCopy symbol = new MemoryCopy(256);

  /** One string for those that are equal: methods of a class share its name and source file. */
  private final Map<String, String> texts = new HashMap<>();

  private final Unsigned5 stream;
  private JavaMethod.Names names;

  /**
   * @param methods where the methods get their ids
   */
  public MethodReader(Layout layout, MemoryReader memory, HotSpotMethods methods) {
    this.layout = layout;
    this.memory = memory;
    this.methods = methods;
    this.stream = new Unsigned5(layout.unsigned5ExcludesZero);
  }

  /** The method at {@code address}, or null if what is there is no method. */
  JavaMethod read(long address) throws UnreadableMemoryException {
    if (!isPointer(address) || methods.isFull()) {
      return null;
    }
    method.copy(memory, address, layout.methodSize);
    long body = layout.constMethod.in(method);
    if (!isPointer(body)) {
      return null;
    }
    constMethod.copy(memory, body, layout.constMethodHeaderSize);
    long size = 8 * layout.constMethodSize.in(constMethod);
    int codeSize = layout.codeSize.intIn(constMethod);
    int header = layout.constMethodHeaderSize;
    if (codeSize < 0
        || size < header
        || size > MAX_CONST_METHOD_BYTES
        || size - header < codeSize) {
      return null;
    }
    constMethod.copy(memory, body, (int) size);
    HotSpotMethod name = name(address);
    if (name == null) {
      return null;
    }
    byte[] code = Arrays.copyOfRange(constMethod.bytes(), header, header + codeSize);
    return new JavaMethod(
        address,
        new JavaMethod.Body(body, body + header, code, nameIndices()),
        methods.intern(name),
        name.modifiers(),
        names,
        lines(header + codeSize));
  }

  /** Whether {@code known} is still the method at its address. */
  boolean isUnchanged(JavaMethod known) throws UnreadableMemoryException {
    long constants = known.constants;
    if (!hasSameBody(known) || !isPointer(constants)) {
      return false;
    }
    HotSpotMethod name = methods.get(known.id);
    long holder = memory.readLong(constants + layout.poolHolder.offset());
    return isPointer(holder)
        && isClassName(memory.readLong(holder + layout.klassName.offset()), name.className())
        && isSymbol(poolEntry(constants, layout.nameIndex), name.name())
        && isSymbol(poolEntry(constants, layout.signatureIndex), name.descriptor());
  }

  /**
   * Whether the method at {@code known}'s address has its bytecodes and constant pool, and its name
   * and descriptor in the same places of that.
   */
  boolean hasSameBody(JavaMethod known) throws UnreadableMemoryException {
    if (memory.readLong(known.address + layout.constMethod.offset()) != known.constMethod) {
      return false;
    }
    constMethod.copy(memory, known.constMethod, layout.constMethodHeaderSize);
    return layout.codeSize.intIn(constMethod) == known.codeSize
        && layout.constants.in(constMethod) == known.constants
        && nameIndices() == known.nameIndices;
  }

  /** The places of name and descriptor in the constant pool, of the ConstMethod that was copied. */
  private int nameIndices() {
    return layout.nameIndex.intIn(constMethod) << 16 | layout.signatureIndex.intIn(constMethod);
  }

  private boolean isSymbol(long address, String text) throws UnreadableMemoryException {
    return copySymbol(address, text.length()) && text.equals(text());
  }

  private boolean isClassName(long address, String name) throws UnreadableMemoryException {
    return copySymbol(address, name.length()) && name.equals(javaClassName(text()));
  }

  private HotSpotMethod name(long address) throws UnreadableMemoryException {
    long constants = layout.constants.in(constMethod);
    if (!isPointer(constants)) {
      return null;
    }
    int nameIndex = layout.nameIndex.intIn(constMethod);
    int descriptorIndex = layout.signatureIndex.intIn(constMethod);
    pool.copy(memory, constants, layout.constantPoolSize);
    int length = layout.poolLength.intIn(pool);
    long holder = layout.poolHolder.in(pool);
    if (length <= 0 || length > MAX_POOL_ENTRIES || !isPointer(holder)) {
      return null;
    }
    int sourceIndex = layout.sourceFileIndex.intIn(pool);
    long cache = layout.poolCache.in(pool);
    long nameSymbol = entry(constants, nameIndex);
    long descriptorSymbol = entry(constants, descriptorIndex);
    long sourceSymbol = sourceIndex == 0 ? 0 : entry(constants, sourceIndex);
    String name = symbol(nameSymbol);
    String descriptor = symbol(descriptorSymbol);
    long holderName = memory.readLong(holder + layout.klassName.offset());
    long list = memory.readLong(holder + layout.klassMethods.offset());
    String className = symbol(holderName);
    if (!ClassFileNames.isMethodName(name)
        || !ClassFileNames.isMethodDescriptor(descriptor)
        || !ClassFileNames.isClassName(className)
        || !ClassFileNames.isMadeByVm(className, name)
            && !isListed(list, address)
            && !isFormerVersion(list, holder, constants, nameSymbol, descriptorSymbol)) {
      return null;
    }
    boolean invoker = ClassFileNames.isInvoker(className);
    names =
        new JavaMethod.Names(
            CallSites.key(nameSymbol, descriptorSymbol), holderName, constants, cache, invoker);
    String source = sourceIndex == 0 ? null : symbol(sourceSymbol);
    int flags = layout.accessFlags.intIn(method) & ALL_CLASS_FILE_FLAGS;
    return new HotSpotMethod(
        javaClassName(className), name, descriptor, flags, source == null ? "" : source);
  }

  /** Whether the class's list has the method. */
  private boolean isListed(long list, long address) throws UnreadableMemoryException {
    return isPointer(list) && memory.readLong(listEntry(list)) == address;
  }

  /** The entry of the method in its class's first list of methods, by its number. */
  private long listEntry(long list) {
    return list + layout.methodArrayData.offset() + 8L * layout.methodIdnum.intIn(constMethod);
  }

  /**
   * Whether the class was redefined, by an agent, and the method is of a version from before that:
   * it still runs where it ran, with its own constant pool, which still names the class, and is
   * listed no more. The class must have a method of the same name and descriptor now
   * (jvmtiRedefineClasses.cpp, VM_RedefineClasses::redefine_single_class; JDK 17 to 25). Symbols
   * are unique, so their addresses can be compared.
   */
  private boolean isFormerVersion(
      long list, long holder, long constants, long nameSymbol, long descriptorSymbol)
      throws UnreadableMemoryException {
    long present = memory.readLong(holder + layout.klassConstants.offset());
    if (present == constants || !isPointer(present) || !isPointer(list)) {
      return false;
    }
    int length = (int) memory.readLong(list + layout.methodArrayLength.offset());
    for (int i = 0; i < length && length <= MAX_METHODS; i++) {
      long listed = memory.readLong(list + layout.methodArrayData.offset() + 8L * i);
      long body = isPointer(listed) ? memory.readLong(listed + layout.constMethod.offset()) : 0;
      if (!isPointer(body)) {
        return false;
      }
      listedConstMethod.copy(memory, body, layout.constMethodHeaderSize);
      if (layout.constants.in(listedConstMethod) == present
          && entry(present, layout.nameIndex.intIn(listedConstMethod)) == nameSymbol
          && entry(present, layout.signatureIndex.intIn(listedConstMethod)) == descriptorSymbol) {
        return true;
      }
    }
    return false;
  }

  private long poolEntry(long constants, Field index) throws UnreadableMemoryException {
    return entry(constants, index.intIn(constMethod));
  }

  private long entry(long constants, int index) throws UnreadableMemoryException {
    return memory.readLong(entryAddress(constants, index));
  }

  private long entryAddress(long constants, int index) {
    return constants + layout.constantPoolSize + 8L * index;
  }

  private String symbol(long address) throws UnreadableMemoryException {
    return copySymbol(address, 0) ? shared(text()) : null;
  }

  /** The text of the symbol that was copied; null if it is none. */
  private String text() {
    return symbol.text(symbolBody(), symbolLength());
  }

  private String javaClassName(String internalName) {
    return internalName == null ? null : shared(ClassFileNames.javaClassName(internalName));
  }

  private String shared(String text) {
    if (text != null && text.length() > MAX_SHARED_TEXT) {
      return text;
    }
    if (texts.size() == MAX_TEXTS) {
      texts.clear();
    }
    String known = text == null ? null : texts.putIfAbsent(text, text);
    return known == null ? text : known;
  }

  /**
   * Copies a symbol.
   *
   * @param likelyLength bytes that it likely has: then one read is enough, if it has no more. A
   *     symbol that is shorter may stand where as many can't be read, but then it is another one
   * @return false if that is no address of one
   */
  private boolean copySymbol(long address, int likelyLength) throws UnreadableMemoryException {
    if (!isPointer(address)) {
      return false;
    }
    symbol.copy(memory, address, symbolBody() + likelyLength);
    int length = symbolLength();
    if (length > likelyLength) {
      symbol.copy(memory, address, symbolBody() + length);
    }
    // The memory of a symbol that was freed may be another's at the second read.
    return length == symbolLength();
  }

  private int symbolBody() {
    return (int) layout.symbolBody.offset();
  }

  private int symbolLength() {
    return layout.symbolLength.intIn(symbol);
  }

  private LineTable lines(int offset) {
    if ((layout.constMethodFlags.in(constMethod) & layout.hasLineNumberTable) == 0) {
      return LineTable.NONE;
    }
    return LineTable.decode(stream.at(constMethod.bytes(), offset, constMethod.length()));
  }

  private static boolean isPointer(long address) {
    return address > 0xffff && (address & 7) == 0 && address >>> 56 == 0;
  }
}
