package stackweave.hotspot.code;

import stackweave.hotspot.memory.MemoryCopy;
import stackweave.hotspot.model.HotSpotMethod;
import stackweave.hotspot.model.HotSpotMethods;
import stackweave.hotspot.vmstructs.Layout;
import stackweave.hotspot.vmstructs.Ledger;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Copies a code blob's header out of the VM, and a compiled method's {@link DebugInfo}. Called by
 * the blob cache. Answers null or false where the copies contradict each other, because the blob
 * was freed or replaced while it was read. Not thread-safe.
 */
public final class BlobReader {
  /** From this state on code is {@code zombie} or {@code unloaded} (nmethod.hpp, JDK 17 to 19). */
  private static final int FIRST_DEAD_STATE = 3;

  private static final int NAME_BYTES = 128;

  /** More than any compiled method's debug information. */
  private static final int MAX_PIECE_BYTES = 4 << 20;

  private final Layout layout;
  private final MemoryReader memory;
  private final HotSpotMethods methods;
  private final MemoryCopy header = new MemoryCopy(512);
  private final MemoryCopy data = new MemoryCopy(1 << 16);

  /**
   * The last name of a compiled method, which nearly all new blobs are, and its address: a constant
   * of the VM's library, which is never unmapped ({@code nmethod.cpp}, JDK 17 to 27).
   */
  private long compiledNameAt;

  private String compiledName;

  /**
   * @param methods where the names of stubs get their ids
   */
  public BlobReader(Layout layout, MemoryReader memory, HotSpotMethods methods) {
    this.layout = layout;
    this.memory = memory;
    this.methods = methods;
  }

  /** Room for what {@link #read(Nmethod, DebugInfo)} copies. */
  DebugInfo newDebugInfo() {
    return new DebugInfo(layout);
  }

  /** The blob at {@code address}, or null if what is there is no blob. */
  public CodeBlob read(long address) throws UnreadableMemoryException {
    if (!copyHeader(address)) {
      return null;
    }
    CodeBlob.Identity identity = identity();
    boolean compiled = compiledNameAt == identity.name() && compiledNameAt != 0;
    String name = compiled ? compiledName : name(identity.name());
    if (name == null) {
      return null;
    }
    BlobKind kind = BlobKind.ofName(name);
    if (isCompiled(kind)) {
      compiledNameAt = identity.name();
      compiledName = name;
    }
    if (kind == BlobKind.ADAPTER && !name.endsWith(BlobKind.ADAPTERS)) {
      name = BlobKind.ADAPTERS; // an AOT cache has them under the types of their arguments
    }
    long codeBegin = place(layout.codeBegin, address, 0);
    long codeEnd = address + layout.blobDataOffset.in(header);
    long end = address + identity.size();
    if (codeBegin < address || codeEnd < codeBegin || codeEnd > end) {
      return null;
    }
    int frameBytes = 8 * layout.blobFrameSize.intIn(header);
    int frameComplete = layout.blobFrameComplete.intIn(header);
    int nameId = methods.intern(new HotSpotMethod("", name, "", 0, ""));
    CodeBlob blob =
        new CodeBlob(
            address, kind, name, nameId, codeBegin, codeEnd, frameBytes, frameComplete, identity);
    return isCompiled(kind) ? nmethod(blob) : blob;
  }

  /**
   * Whether {@code code} is there, and may run or be running: then what it names has not been
   * freed.
   */
  boolean isAlive(Nmethod code) {
    return isUnchanged(code)
        && (layout.codeState == null || layout.codeState.in(header) < FIRST_DEAD_STATE);
  }

  /** Whether {@code blob} is still what it was. */
  boolean isUnchanged(CodeBlob blob) {
    try {
      return copyHeader(blob.address) && isIdentity(blob);
    } catch (UnreadableMemoryException e) {
      return false; // the heap shrank
    }
  }

  private boolean isIdentity(CodeBlob blob) {
    return identityEquals(blob.identity(), isCompiled(blob.kind));
  }

  private static boolean isCompiled(BlobKind kind) {
    return kind == BlobKind.NMETHOD || kind == BlobKind.NATIVE_NMETHOD;
  }

  /**
   * Copies the header and what stands before it in one read: blobs are checked so often that system
   * calls are most of the cost.
   */
  private boolean copyHeader(long blob) throws UnreadableMemoryException {
    int block = layout.heapBlockSize;
    header.copy(memory, blob - block, block + layout.nmethodSize);
    if (layout.blockUsed.in(header) == 0) {
      return false;
    }
    header.drop(layout.heapBlockSize);
    return true;
  }

  private CodeBlob.Identity identity() {
    return new CodeBlob.Identity(
        layout.blobName.in(header),
        layout.blobSize.intIn(header),
        layout.compileId.intIn(header),
        layout.method.in(header));
  }

  private boolean identityEquals(CodeBlob.Identity known, boolean compiled) {
    return known.name() == layout.blobName.in(header)
        && known.size() == layout.blobSize.intIn(header)
        && (!compiled
            || known.compileId() == layout.compileId.intIn(header)
                && known.method() == layout.method.in(header));
  }

  /** Null if there is none; empty for the adapter of methods without arguments. */
  private String name(long pointer) throws UnreadableMemoryException {
    if (pointer == 0) {
      return null;
    }
    for (int length = NAME_BYTES; length >= 8; length /= 2) {
      try {
        data.copy(memory, pointer, length);
      } catch (UnreadableMemoryException e) {
        continue; // the string ends near the end of its mapping
      }
      for (int i = 0; i < length; i++) {
        if (data.u1(i) == 0) {
          return data.text(0, i);
        }
      }
      return data.text(0, length);
    }
    return null;
  }

  private CodeBlob nmethod(CodeBlob blob) {
    long address = blob.address;
    long code = blob.codeBegin;
    Nmethod.Entries entries =
        new Nmethod.Entries(
            place(layout.verifiedEntry, address, code),
            layout.osrEntry.in(header),
            address + layout.stubOffset.in(header),
            place(layout.deoptHandler, address, code),
            layout.deoptMhHandler == null ? 0 : place(layout.deoptMhHandler, address, code),
            layout.origPcOffset.intIn(header),
            layout.compLevel.intIn(header),
            layout.entryBci.intIn(header));
    return new Nmethod(blob, entries);
  }

  /**
   * Copies what the pcs of {@code code} are decoded with.
   *
   * @return false if {@code code} is not what it was
   */
  boolean read(Nmethod code, DebugInfo debug) {
    debug.setOf(null);
    try {
      if (!isUnchanged(code) || !copyDebug(code, debug)) {
        return false;
      }
      // Piece by piece: it must be the same method before and after, with its parts where they
      // were.
      long pcs = place(layout.pcDescsBegin, code.address, code.codeBegin);
      long metadata = place(layout.metadataBegin, code.address, code.codeBegin);
      if (!isUnchanged(code)
          || pcs != place(layout.pcDescsBegin, code.address, code.codeBegin)
          || metadata != place(layout.metadataBegin, code.address, code.codeBegin)) {
        return false;
      }
    } catch (UnreadableMemoryException e) {
      return false;
    }
    debug.setOf(code);
    return true;
  }

  /**
   * Copies the parts of the method whose header was copied; false if they contradict each other.
   */
  private boolean copyDebug(Nmethod method, DebugInfo debug) throws UnreadableMemoryException {
    long address = method.address;
    long code = method.codeBegin;
    long pcsFrom = place(layout.pcDescsBegin, address, code);
    long pcsTo = place(layout.pcDescsEnd, address, code);
    long scopesFrom = place(layout.scopesBegin, address, code);
    long scopesTo = place(layout.scopesEnd, address, code);
    long metadataFrom = place(layout.metadataBegin, address, code);
    long metadataTo = place(layout.metadataEnd, address, code);
    if (!isPiece(pcsFrom, pcsTo)
        || !isPiece(scopesFrom, scopesTo)
        || !isPiece(metadataFrom, metadataTo)
        || pcsTo != scopesFrom && scopesTo != pcsFrom) {
      return false;
    }
    debug.copyScopes(memory, pcsFrom, pcsTo, scopesFrom, scopesTo);
    debug.copyMetadata(memory, metadataFrom, metadataTo);
    return debug.isWhole(method);
  }

  private static boolean isPiece(long from, long to) {
    return from > 0 && to >= from && to - from <= MAX_PIECE_BYTES;
  }

  private long place(Ledger.Place place, long blob, long code) {
    long value = place.field().in(header);
    return switch (place.base()) {
      case ABSOLUTE -> value;
      case BLOB -> blob + value;
      case CODE -> code + value;
      case DATA -> blob + layout.blobDataOffset.in(header) + value;
      case IMMUTABLE_DATA -> layout.immutableData.in(header) + value;
      case MUTABLE_DATA -> layout.mutableData.in(header) + value;
    };
  }
}
