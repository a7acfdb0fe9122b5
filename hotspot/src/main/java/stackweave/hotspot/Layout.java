package stackweave.hotspot;

import java.util.ArrayList;
import java.util.List;

/**
 * The ledger: everything of HotSpot's layout that frames are decoded with, each read by name with
 * its type's width, and what differs between JDKs in one place.
 *
 * <table>
 * <caption>What differs (17, 21 and 25 measured)</caption>
 * <tr><th>item</th><th>17, 21</th><th>25</th></tr>
 * <tr><td>start of the code</td><td>address</td><td>offset from the blob</td></tr>
 * <tr><td>nmethod's base</td><td>CompiledMethod</td><td>CodeBlob</td></tr>
 * <tr><td>deopt handlers</td><td>addresses</td><td>offsets from the blob</td></tr>
 * <tr><td>verified entry</td><td>address</td><td>offset from the code</td></tr>
 * <tr><td>PcDescs</td><td>in the blob, after the scopes</td>
 *     <td>in the immutable data, before the scopes</td></tr>
 * <tr><td>metadata</td><td>in the blob</td><td>in the mutable data</td></tr>
 * <tr><td>line table flag</td><td>17: ConstMethod::_flags; 21: as 25</td>
 *     <td>ConstMethod::_flags._flags</td></tr>
 * <tr><td>OS thread</td><td>17: JavaThread::_osthread</td><td>Thread::_osthread</td></tr>
 * <tr><td>UNSIGNED5</td><td>17: bytes count from 0; 21: as 25</td>
 *     <td>bytes count from 1 (JDK 20 on)</td></tr>
 * <tr><td>continuations</td><td>17: none; 21: as 25</td><td>ContinuationEntry</td></tr>
 * </table>
 *
 * <p>Sources: HotSpot's {@code vmStructs.cpp}, {@code nmethod.hpp}, {@code codeBlob.hpp}, {@code
 * constMethod.hpp} of the JDKs named. Immutable.
 */
final class Layout {

  /** What an address kept as an offset counts from. */
  enum Base {
    ABSOLUTE,
    BLOB,
    CODE,
    IMMUTABLE_DATA,
    MUTABLE_DATA
  }

  /** A place that some JDKs keep as an address and others as an offset. */
  record Place(Field field, Base base) {}

  /** First JDK whose UNSIGNED5 excludes the zero byte. */
  private static final int FIRST_WITHOUT_ZERO_BYTES = 20;

  final int featureVersion;

  // CodeCache, CodeHeap: static fields hold addresses.
  final Field codeHeaps;
  final Field codeLowBound;
  final Field codeHighBound;
  final Field arrayLength;
  final Field arrayData;
  final Field heapMemory;
  final Field heapSegmap;
  final Field heapLog2SegmentSize;
  final Field spaceLowBoundary;
  final Field spaceHighBoundary;
  final Field spaceLow;
  final Field spaceHigh;
  final Field blockUsed;
  final int heapSize;
  final int heapBlockSize;

  // CodeBlob
  final Field blobName;
  final Field blobSize;
  final Field blobFrameSize;
  final Field blobFrameComplete;
  final Field blobDataOffset;
  final Place codeBegin;

  // nmethod
  final int nmethodSize;
  final Field method;
  final Field compileId;
  final Field compLevel;
  final Field entryBci;
  final Field origPcOffset;
  final Field stubOffset;
  final Field osrEntry;
  final Place verifiedEntry;
  final Place deoptHandler;

  /** Null where there is none (26 on). */
  final Place deoptMhHandler;

  final Place pcDescsBegin;
  final Place pcDescsEnd;
  final Place scopesBegin;
  final Place scopesEnd;
  final Place metadataBegin;
  final Place metadataEnd;

  /** Null where all is inside the blob. */
  final Field immutableData;

  /** Null where all is inside the blob. */
  final Field mutableData;

  final Field pcDescPcOffset;
  final Field pcDescScopeOffset;
  final int pcDescSize;
  final boolean unsigned5ExcludesZero;

  // Method and what names it
  final int methodSize;
  final Field constMethod;
  final Field accessFlags;
  final int constMethodHeaderSize;
  final Field constants;
  final Field constMethodSize;
  final Field codeSize;
  final Field nameIndex;
  final Field signatureIndex;
  final Field methodIdnum;
  final Field constMethodFlags;
  final long hasLineNumberTable;
  final int constantPoolSize;
  final Field poolHolder;
  final Field poolLength;
  final Field sourceFileIndex;
  final Field poolCache;
  final Field klassName;
  final Field klassMethods;
  final Field methodArrayData;
  final Field symbolLength;
  final Field symbolBody;

  // Interpreter and stubs
  final Field interpreterCode;
  final Field queueBuffer;
  final Field queueBegin;
  final Field queueEnd;
  final Field codeletSize;
  final Field codeletDescription;
  final int codeletHeaderSize;
  final Field callStubReturn;

  /** Slot of the JavaCallWrapper in a call stub's frame, in words from rbp. */
  final int callWrapperSlot;

  // Threads
  final Field wrapperAnchor;
  final Field lastJavaSp;
  final Field lastJavaPc;
  final Field lastJavaFp;
  final Field threadList;
  final Field threadListLength;
  final Field threadListThreads;
  final Field osThread;
  final Field osThreadId;

  /** Null where the JDK does not export it. */
  final Field stackBase;

  /** ContinuationEntry::_return_pc; null on JDKs without continuations. */
  final Field continuationReturnPc;

  /** sizeof(ContinuationEntry); 0 on JDKs without continuations. */
  final int continuationEntrySize;

  private final VmStructs structs;
  private final List<String> missing = new ArrayList<>();

  /**
   * Finds everything.
   *
   * @throws UnsupportedVmException naming all that is missing
   */
  Layout(VmStructs structs, int featureVersion) throws UnsupportedVmException {
    this.structs = structs;
    this.featureVersion = featureVersion;

    codeHeaps = field("CodeCache", "_heaps");
    codeLowBound = field("CodeCache", "_low_bound");
    codeHighBound = field("CodeCache", "_high_bound");
    arrayLength = field("GrowableArrayBase", "_len");
    arrayData = field("GrowableArray<int>", "_data");
    heapMemory = field("CodeHeap", "_memory");
    heapSegmap = field("CodeHeap", "_segmap");
    heapLog2SegmentSize = field("CodeHeap", "_log2_segment_size");
    spaceLowBoundary = field("VirtualSpace", "_low_boundary");
    spaceHighBoundary = field("VirtualSpace", "_high_boundary");
    spaceLow = field("VirtualSpace", "_low");
    spaceHigh = field("VirtualSpace", "_high");
    blockUsed = field("HeapBlock::Header", "_used");
    heapSize = heapLog2SegmentSize == null ? 0 : heapLog2SegmentSize.end();
    heapBlockSize = size("HeapBlock");

    blobName = field("CodeBlob", "_name");
    blobSize = field("CodeBlob", "_size");
    blobFrameSize = field("CodeBlob", "_frame_size");
    blobFrameComplete = field("CodeBlob", "_frame_complete_offset");
    blobDataOffset = field("CodeBlob", "_data_offset");
    codeBegin =
        eitherPlace("CodeBlob::_code_begin", Base.ABSOLUTE, "CodeBlob::_code_offset", Base.BLOB);

    nmethodSize = size("nmethod");
    method = either("CompiledMethod::_method", "nmethod::_method");
    compileId = field("nmethod", "_compile_id");
    compLevel = field("nmethod", "_comp_level");
    entryBci = field("nmethod", "_entry_bci");
    origPcOffset = field("nmethod", "_orig_pc_offset");
    stubOffset = field("nmethod", "_stub_offset");
    osrEntry = field("nmethod", "_osr_entry_point");
    verifiedEntry =
        eitherPlace(
            "nmethod::_verified_entry_point", Base.ABSOLUTE,
            "nmethod::_verified_entry_offset", Base.CODE);
    deoptHandler =
        eitherPlace(
            "CompiledMethod::_deopt_handler_begin", Base.ABSOLUTE,
            "nmethod::_deopt_handler_offset", Base.BLOB);
    deoptMhHandler =
        optionalPlace(
            "CompiledMethod::_deopt_mh_handler_begin", Base.ABSOLUTE,
            "nmethod::_deopt_mh_handler_offset", Base.BLOB);

    immutableData = structs.field("nmethod", "_immutable_data");
    mutableData = structs.field("CodeBlob", "_mutable_data");
    boolean outside = immutableData != null;
    pcDescsBegin =
        new Place(
            field("nmethod", "_scopes_pcs_offset"), outside ? Base.IMMUTABLE_DATA : Base.BLOB);
    pcDescsEnd =
        outside
            ? new Place(field("nmethod", "_scopes_data_offset"), Base.IMMUTABLE_DATA)
            : new Place(field("nmethod", "_dependencies_offset"), Base.BLOB);
    scopesBegin =
        outside
            ? pcDescsEnd
            : new Place(field("CompiledMethod", "_scopes_data_begin"), Base.ABSOLUTE);
    scopesEnd =
        outside
            ? new Place(field("nmethod", "_immutable_data_size"), Base.IMMUTABLE_DATA)
            : pcDescsBegin;
    metadataBegin =
        outside
            ? new Place(field("CodeBlob", "_relocation_size"), Base.MUTABLE_DATA)
            : new Place(field("nmethod", "_metadata_offset"), Base.BLOB);
    metadataEnd =
        outside
            ? new Place(field("CodeBlob", "_mutable_data_size"), Base.MUTABLE_DATA)
            : scopesBegin;
    pcDescPcOffset = field("PcDesc", "_pc_offset");
    pcDescScopeOffset = field("PcDesc", "_scope_decode_offset");
    pcDescSize = size("PcDesc");
    unsigned5ExcludesZero = featureVersion >= FIRST_WITHOUT_ZERO_BYTES;

    methodSize = size("Method");
    constMethod = field("Method", "_constMethod");
    accessFlags = field("Method", "_access_flags");
    constMethodHeaderSize = size("ConstMethod");
    constants = field("ConstMethod", "_constants");
    constMethodSize = field("ConstMethod", "_constMethod_size");
    codeSize = field("ConstMethod", "_code_size");
    nameIndex = field("ConstMethod", "_name_index");
    signatureIndex = field("ConstMethod", "_signature_index");
    methodIdnum = field("ConstMethod", "_method_idnum");
    constMethodFlags = either("ConstMethod::_flags", "ConstMethod::_flags._flags");
    hasLineNumberTable =
        eitherConstant(
            "ConstMethod::_has_linenumber_table", "ConstMethodFlags::_misc_has_linenumber_table");
    constantPoolSize = size("ConstantPool");
    poolHolder = field("ConstantPool", "_pool_holder");
    poolLength = field("ConstantPool", "_length");
    sourceFileIndex = field("ConstantPool", "_source_file_name_index");
    poolCache = field("ConstantPool", "_cache");
    klassName = field("Klass", "_name");
    klassMethods = field("InstanceKlass", "_methods");
    methodArrayData = field("Array<Method*>", "_data");
    symbolLength = field("Symbol", "_length");
    symbolBody = field("Symbol", "_body");

    interpreterCode = field("AbstractInterpreter", "_code");
    queueBuffer = field("StubQueue", "_stub_buffer");
    queueBegin = field("StubQueue", "_queue_begin");
    queueEnd = field("StubQueue", "_queue_end");
    codeletSize = field("InterpreterCodelet", "_size");
    codeletDescription = field("InterpreterCodelet", "_description");
    codeletHeaderSize = size("InterpreterCodelet");
    callStubReturn = field("StubRoutines", "_call_stub_return_address");
    callWrapperSlot = (int) constant("frame::entry_frame_call_wrapper_offset");

    wrapperAnchor = field("JavaCallWrapper", "_anchor");
    lastJavaSp = field("JavaFrameAnchor", "_last_Java_sp");
    lastJavaPc = field("JavaFrameAnchor", "_last_Java_pc");
    lastJavaFp = field("JavaFrameAnchor", "_last_Java_fp");
    threadList = field("ThreadsSMRSupport", "_java_thread_list");
    threadListLength = field("ThreadsList", "_length");
    threadListThreads = field("ThreadsList", "_threads");
    osThread = either("JavaThread::_osthread", "Thread::_osthread");
    osThreadId = field("OSThread", "_thread_id");
    Field baseOfThread = structs.field("Thread", "_stack_base");
    stackBase = baseOfThread == null ? structs.field("JavaThread", "_stack_base") : baseOfThread;

    continuationReturnPc = structs.field("ContinuationEntry", "_return_pc");
    Long entrySize = structs.sizeOf("ContinuationEntry");
    continuationEntrySize = entrySize == null ? 0 : entrySize.intValue();

    if (!missing.isEmpty()) {
      throw new UnsupportedVmException(
          "this JDK is not supported for Java frames: missing " + String.join(", ", missing));
    }
  }

  private Field field(String type, String name) {
    Field field = structs.field(type, name);
    if (field == null) {
      missing.add(type + "::" + name);
    }
    return field;
  }

  private Field either(String first, String second) {
    Field field = named(first);
    if (field == null) {
      field = named(second);
    }
    if (field == null) {
      missing.add(first + " or " + second);
    }
    return field;
  }

  private Place eitherPlace(String first, Base firstBase, String second, Base secondBase) {
    Place place = optionalPlace(first, firstBase, second, secondBase);
    if (place == null) {
      missing.add(first + " or " + second);
    }
    return place;
  }

  private Place optionalPlace(String first, Base firstBase, String second, Base secondBase) {
    Field field = named(first);
    if (field != null) {
      return new Place(field, firstBase);
    }
    field = named(second);
    return field == null ? null : new Place(field, secondBase);
  }

  private Field named(String typeAndField) {
    int colons = typeAndField.lastIndexOf("::");
    return structs.field(typeAndField.substring(0, colons), typeAndField.substring(colons + 2));
  }

  private int size(String type) {
    Long size = structs.sizeOf(type);
    if (size == null) {
      missing.add("sizeof(" + type + ")");
      return 0;
    }
    return size.intValue();
  }

  private long constant(String name) {
    Long value = structs.constant(name);
    if (value == null) {
      missing.add(name);
      return 0;
    }
    return value;
  }

  private long eitherConstant(String first, String second) {
    Long value = structs.constant(first);
    if (value == null) {
      value = structs.constant(second);
    }
    if (value == null) {
      missing.add(first + " or " + second);
      return 0;
    }
    return value;
  }
}
