package stackweave.hotspot.vmstructs;

import java.util.List;

/**
 * Where the structures of this VM that frames are decoded with keep what: each field is looked up
 * by name and has the width that the VM says. Made when a VM is opened, read by all who read the
 * VM.
 *
 * <p>What differs between JDKs is decided here, by what vmStructs describe, or by {@link
 * JdkVersion}, and nowhere else; docs/jdk-layout.md lists it, with every entry. Sources: {@code
 * vmStructs.cpp}, {@code nmethod.hpp}, {@code constMethod.hpp}. Immutable.
 */
public final class Layout {

  /** What an address kept as an offset counts from. */
  public enum Base {
    ABSOLUTE,
    BLOB,
    CODE,
    DATA,
    IMMUTABLE_DATA,
    MUTABLE_DATA
  }

  /** A place that some JDKs keep as an address and others as an offset. */
  public record Place(Field field, Base base) {}

  /** sizeof(ContinuationEntry) of JDK 21 to 24, which do not describe it. */
  private static final int UNDESCRIBED_CONTINUATION_ENTRY_SIZE = 64;

  /** Offset of ContinuationEntry::_parent up to JDK 26, which do not describe it. */
  private static final int UNDESCRIBED_CONTINUATION_PARENT = 8;

  private static final int STACK_ALIGNMENT = 16;

  /** The JDK's version, for what is not described. */
  public final JdkVersion version;

  // CodeCache, CodeHeap: static fields hold addresses.
  public final Field codeHeaps;
  public final Field codeLowBound;
  public final Field codeHighBound;
  public final Field arrayLength;
  public final Field arrayData;
  public final Field heapMemory;
  public final Field heapSegmap;
  public final Field heapLog2SegmentSize;
  public final Field spaceHighBoundary;
  public final Field spaceLow;
  public final Field spaceHigh;
  public final Field blockUsed;
  public final int heapSize;
  public final int heapBlockSize;

  // CodeBlob
  public final Field blobName;
  public final Field blobSize;
  public final Field blobFrameSize;
  public final Field blobFrameComplete;
  public final Field blobDataOffset;
  public final Place codeBegin;

  // nmethod
  public final int nmethodSize;
  public final Field method;
  public final Field compileId;
  public final Field compLevel;

  /** Null where dead code does not stay in the code cache. */
  public final Field codeState;

  public final Field entryBci;
  public final Field origPcOffset;
  public final Field stubOffset;
  public final Field osrEntry;
  public final Place verifiedEntry;
  public final Place deoptHandler;

  /** Null where there is none (26 on). */
  public final Place deoptMhHandler;

  public final Place pcDescsBegin;
  public final Place pcDescsEnd;
  public final Place scopesBegin;
  public final Place scopesEnd;
  public final Place metadataBegin;
  public final Place metadataEnd;

  /** Null where all is inside the blob. */
  public final Field immutableData;

  /** Null where all is inside the blob. */
  public final Field mutableData;

  public final Field pcDescPcOffset;
  public final Field pcDescScopeOffset;
  public final int pcDescSize;
  public final boolean unsigned5ExcludesZero;

  // Method and what names it
  public final int methodSize;
  public final Field constMethod;
  public final Field accessFlags;
  public final int constMethodHeaderSize;
  public final Field constants;
  public final Field constMethodSize;
  public final Field codeSize;
  public final Field nameIndex;
  public final Field signatureIndex;
  public final Field methodIdnum;
  public final Field constMethodFlags;
  public final long hasLineNumberTable;
  public final int constantPoolSize;
  public final Field poolHolder;
  public final Field poolLength;
  public final Field sourceFileIndex;
  public final Field poolCache;

  /** Null where the cache's entries are of one kind, inside it (up to 22). */
  public final Field resolvedMethods;

  /** Of an entry of either kind: where it has its index in the constant pool. */
  public final Field calledIndex;

  /** From the start of the array, or of the cache, to the first entry. */
  public final int calledEntries;

  public final int calledEntrySize;
  public final Field klassName;
  public final Field klassMethods;
  public final Field klassConstants;
  public final Field methodArrayLength;
  public final Field methodArrayData;
  public final Field symbolLength;
  public final Field symbolBody;

  // Interpreter and stubs
  public final Field interpreterCode;
  public final Field queueBuffer;
  public final Field queueBegin;
  public final Field queueEnd;
  public final Field codeletSize;
  public final Field codeletDescription;
  public final int codeletHeaderSize;
  public final Field callStubReturn;

  // Threads
  public final Field threadList;
  public final Field threadListLength;
  public final Field threadListThreads;
  public final Field osThread;
  public final Field osThreadId;

  /** Null where the JDK does not export it. */
  public final Field stackBase;

  /** Null where the JDK does not export it. */
  public final Field stackSize;

  /** Where a JavaThread has its last Java frame; null where the JDK does not export it. */
  public final Field anchor;

  /** Of the anchor; null where the JDK does not export it. */
  public final Field lastJavaSp;

  /** Of the anchor; null where the JDK does not export it. */
  public final Field lastJavaFp;

  /** Of the anchor; null where the JDK does not export it. */
  public final Field lastJavaPc;

  /** Of a JavaThread; null where the JDK does not export it. */
  public final Field threadState;

  /** The monitor that a JavaThread waits to enter; null where the JDK does not export it. */
  public final Field pendingMonitor;

  /** The monitor that a JavaThread waits on, by Object.wait; null where it is not exported. */
  public final Field waitingMonitor;

  // Garbage collections and performance data
  public final Field collectedHeap;
  public final Field totalCollections;
  public final Field heapReserved;

  /** Both null where the VM is built without performance data. */
  public final Field perfStart;

  public final Field perfTop;

  /** ContinuationEntry::_return_pc; null on JDKs without continuations. */
  public final Field continuationReturnPc;

  /** What a ContinuationEntry takes of the stack, in bytes: its size, aligned. */
  public final int continuationEntrySize;

  /** Where a ContinuationEntry has its parent. */
  public final int continuationParent;

  // Flags: only what tells virtual threads apart needs them, so null where not described.
  public final Field flags;
  public final Field flagCount;
  public final Field flagName;
  public final Field flagValue;

  /** sizeof(JVMFlag); 0 where it is not described. */
  public final int flagSize;

  private final Ledger ledger;

  /**
   * Finds everything.
   *
   * @throws UnsupportedVmException naming all that is missing
   */
  public Layout(VmStructs structs, JdkVersion version) throws UnsupportedVmException {
    this.ledger = new Ledger(structs);
    this.version = version;

    codeHeaps = field("CodeCache", "_heaps");
    codeLowBound = field("CodeCache", "_low_bound");
    codeHighBound = field("CodeCache", "_high_bound");
    arrayLength = field("GrowableArrayBase", "_len");
    arrayData = field("GrowableArray<int>", "_data");
    heapMemory = field("CodeHeap", "_memory");
    heapSegmap = field("CodeHeap", "_segmap");
    heapLog2SegmentSize = field("CodeHeap", "_log2_segment_size");
    spaceHighBoundary = field("VirtualSpace", "_high_boundary");
    spaceLow = field("VirtualSpace", "_low");
    spaceHigh = field("VirtualSpace", "_high");
    blockUsed = field("HeapBlock::Header", "_used");
    heapSize = heapLog2SegmentSize == null ? 0 : heapLog2SegmentSize.end();
    heapBlockSize = ledger.size("HeapBlock");

    blobName = field("CodeBlob", "_name");
    blobSize = field("CodeBlob", "_size");
    blobFrameSize = field("CodeBlob", "_frame_size");
    blobFrameComplete = field("CodeBlob", "_frame_complete_offset");
    blobDataOffset = field("CodeBlob", "_data_offset");
    codeBegin =
        ledger.place(
            new Ledger.Name("CodeBlob::_code_begin", Base.ABSOLUTE),
            new Ledger.Name("CodeBlob::_code_offset", Base.BLOB));

    nmethodSize = ledger.size("nmethod");
    method = ledger.field("CompiledMethod::_method", "nmethod::_method");
    compileId = field("nmethod", "_compile_id");
    compLevel = field("nmethod", "_comp_level");
    codeState = version.keepsDeadCode() ? field("nmethod", "_state") : null;
    entryBci = field("nmethod", "_entry_bci");
    origPcOffset = field("nmethod", "_orig_pc_offset");
    stubOffset = field("nmethod", "_stub_offset");
    osrEntry = field("nmethod", "_osr_entry_point");
    verifiedEntry =
        ledger.place(
            new Ledger.Name("nmethod::_verified_entry_point", Base.ABSOLUTE),
            new Ledger.Name("nmethod::_verified_entry_offset", Base.CODE));
    deoptHandler =
        ledger.place(
            new Ledger.Name("CompiledMethod::_deopt_handler_begin", Base.ABSOLUTE),
            new Ledger.Name("nmethod::_deopt_handler_offset", Base.BLOB),
            new Ledger.Name("nmethod::_deopt_handler_entry_offset", Base.BLOB));
    Ledger.Name[] deoptMh = {
      new Ledger.Name("CompiledMethod::_deopt_mh_handler_begin", Base.ABSOLUTE),
      new Ledger.Name("nmethod::_deopt_mh_handler_offset", Base.BLOB)
    };
    deoptMhHandler =
        version.hasMethodHandleDeoptHandler()
            ? ledger.place(deoptMh)
            : ledger.optionalPlace(deoptMh);

    // Three ages of an nmethod. Either of two entries tells, so that the lack of one is noticed.
    boolean immutableOutside =
        structs.field("nmethod", "_immutable_data") != null
            || structs.field("nmethod", "_immutable_data_size") != null;
    boolean mutableOutside =
        structs.field("CodeBlob", "_mutable_data") != null
            || structs.field("CodeBlob", "_mutable_data_size") != null;
    Base debugData = immutableOutside ? Base.IMMUTABLE_DATA : Base.BLOB;
    immutableData = immutableOutside ? field("nmethod", "_immutable_data") : null;
    mutableData = mutableOutside ? field("CodeBlob", "_mutable_data") : null;
    pcDescsBegin = new Place(field("nmethod", "_scopes_pcs_offset"), debugData);
    if (immutableOutside) {
      pcDescsEnd = new Place(field("nmethod", "_scopes_data_offset"), debugData);
      scopesBegin = pcDescsEnd;
      Field references = ledger.optionalField("nmethod::_immutable_data_ref_count_offset");
      Field size = field("nmethod", "_immutable_data_size");
      scopesEnd = new Place(references == null ? size : references, debugData);
    } else {
      pcDescsEnd = new Place(field("nmethod", "_dependencies_offset"), debugData);
      scopesBegin = new Place(field("CompiledMethod", "_scopes_data_begin"), Base.ABSOLUTE);
      scopesEnd = pcDescsBegin;
    }
    if (mutableOutside) {
      metadataBegin = new Place(field("CodeBlob", "_relocation_size"), Base.MUTABLE_DATA);
      metadataEnd = new Place(field("CodeBlob", "_mutable_data_size"), Base.MUTABLE_DATA);
    } else if (immutableOutside) {
      // What follows, for JVMCI, is no metadata, and no scope names it.
      metadataBegin = new Place(field("nmethod", "_metadata_offset"), Base.DATA);
      metadataEnd = new Place(blobSize, Base.BLOB);
    } else {
      metadataBegin = new Place(field("nmethod", "_metadata_offset"), Base.BLOB);
      metadataEnd = scopesBegin;
    }
    pcDescPcOffset = field("PcDesc", "_pc_offset");
    pcDescScopeOffset = field("PcDesc", "_scope_decode_offset");
    pcDescSize = ledger.size("PcDesc");
    unsigned5ExcludesZero = version.unsigned5ExcludesZero();

    methodSize = ledger.size("Method");
    constMethod = field("Method", "_constMethod");
    accessFlags = field("Method", "_access_flags");
    constMethodHeaderSize = ledger.size("ConstMethod");
    constants = field("ConstMethod", "_constants");
    constMethodSize = field("ConstMethod", "_constMethod_size");
    codeSize = field("ConstMethod", "_code_size");
    nameIndex = field("ConstMethod", "_name_index");
    signatureIndex = field("ConstMethod", "_signature_index");
    methodIdnum = field("ConstMethod", "_method_idnum");
    constMethodFlags = ledger.field("ConstMethod::_flags", "ConstMethod::_flags._flags");
    hasLineNumberTable =
        ledger.constant(
            "ConstMethod::_has_linenumber_table", "ConstMethodFlags::_misc_has_linenumber_table");
    constantPoolSize = ledger.size("ConstantPool");
    poolHolder = field("ConstantPool", "_pool_holder");
    poolLength = field("ConstantPool", "_length");
    sourceFileIndex = field("ConstantPool", "_source_file_name_index");
    poolCache = field("ConstantPool", "_cache");
    Field called =
        ledger.field(
            "ConstantPoolCache::_resolved_method_entries", "ConstantPoolCacheEntry::_indices");
    boolean apart =
        structs.field("ConstantPoolCache", "_resolved_method_entries") != null
            || structs.field("ResolvedMethodEntry", "_cpool_index") != null;
    resolvedMethods = apart ? called : null;
    calledIndex = apart ? field("ResolvedMethodEntry", "_cpool_index") : called;
    Field entries = apart ? field("Array<ResolvedMethodEntry>", "_data") : null;
    int cacheSize = apart ? 0 : ledger.size("ConstantPoolCache");
    calledEntries = entries == null ? cacheSize : (int) entries.offset();
    calledEntrySize = ledger.size(apart ? "ResolvedMethodEntry" : "ConstantPoolCacheEntry");
    klassName = field("Klass", "_name");
    klassMethods = field("InstanceKlass", "_methods");
    klassConstants = field("InstanceKlass", "_constants");
    methodArrayLength = field("Array<int>", "_length"); // of all arrays
    methodArrayData = field("Array<Method*>", "_data");
    symbolLength = field("Symbol", "_length");
    symbolBody = field("Symbol", "_body");

    interpreterCode = field("AbstractInterpreter", "_code");
    queueBuffer = field("StubQueue", "_stub_buffer");
    queueBegin = field("StubQueue", "_queue_begin");
    queueEnd = field("StubQueue", "_queue_end");
    codeletSize = field("InterpreterCodelet", "_size");
    codeletDescription = field("InterpreterCodelet", "_description");
    codeletHeaderSize = ledger.size("InterpreterCodelet");
    callStubReturn = field("StubRoutines", "_call_stub_return_address");

    threadList = field("ThreadsSMRSupport", "_java_thread_list");
    threadListLength = field("ThreadsList", "_length");
    threadListThreads = field("ThreadsList", "_threads");
    osThread = ledger.field("JavaThread::_osthread", "Thread::_osthread");
    osThreadId = field("OSThread", "_thread_id");
    stackBase = ledger.optionalField("Thread::_stack_base", "JavaThread::_stack_base");
    stackSize = ledger.optionalField("Thread::_stack_size", "JavaThread::_stack_size");

    anchor = ledger.optionalField("JavaThread::_anchor");
    lastJavaSp = ledger.optionalField("JavaFrameAnchor::_last_Java_sp");
    lastJavaFp = ledger.optionalField("JavaFrameAnchor::_last_Java_fp");
    lastJavaPc = ledger.optionalField("JavaFrameAnchor::_last_Java_pc");
    threadState = ledger.optionalField("JavaThread::_thread_state");
    pendingMonitor =
        ledger.optionalField(
            "JavaThread::_current_pending_monitor", "Thread::_current_pending_monitor");
    waitingMonitor =
        ledger.optionalField(
            "JavaThread::_current_waiting_monitor", "Thread::_current_waiting_monitor");

    collectedHeap = field("Universe", "_collectedHeap");
    totalCollections = field("CollectedHeap", "_total_collections");
    heapReserved = ledger.optionalField("CollectedHeap::_reserved");
    perfStart = ledger.optionalField("PerfMemory::_start");
    perfTop = ledger.optionalField("PerfMemory::_top");

    continuationReturnPc = ledger.optionalField("ContinuationEntry::_return_pc");
    int entrySize = ledger.optionalSize("ContinuationEntry");
    continuationEntrySize =
        entrySize == 0 ? UNDESCRIBED_CONTINUATION_ENTRY_SIZE : alignedSize(entrySize);
    Field parent = ledger.optionalField("ContinuationEntry::_parent");
    continuationParent = parent == null ? UNDESCRIBED_CONTINUATION_PARENT : (int) parent.offset();
    flags = ledger.optionalField("JVMFlag::flags");
    flagCount = ledger.optionalField("JVMFlag::numFlags");
    flagName = ledger.optionalField("JVMFlag::_name");
    flagValue = ledger.optionalField("JVMFlag::_addr");
    flagSize = ledger.optionalSize("JVMFlag");

    ledger.requireAll();
  }

  /** What was asked of the VM's description, and what it answered. */
  public List<Ledger.Entry> entries() {
    return ledger.entries();
  }

  /** The room on the stack of an entry of that sizeof. */
  static int alignedSize(int size) {
    return size + STACK_ALIGNMENT - 1 & -STACK_ALIGNMENT;
  }

  private Field field(String type, String name) {
    return ledger.field(type + "::" + name);
  }
}
