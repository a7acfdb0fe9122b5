package stackweave.hotspot.vmstructs;

/**
 * The layout of this VM's structures, as far as frames are decoded with them: each field is looked
 * up by name and has the width that the VM says. Made when a VM is opened, used by all who read the
 * VM.
 *
 * <p>What differs between JDKs is decided here, by what vmStructs describe, or by {@link
 * JdkVersion}, and nowhere else; docs/jdk-layout.md lists it, with every entry. Sources: {@code
 * vmStructs.cpp}, {@code nmethod.hpp}, {@code constMethod.hpp}. Immutable.
 */
public final class Layout extends Ledger {

  /** sizeof(ContinuationEntry) of JDK 21 to 24, which do not describe it. */
  private static final int UNDESCRIBED_CONTINUATION_ENTRY_SIZE = 64;

  /** Offset of ContinuationEntry::_parent up to JDK 26, which do not describe it. */
  private static final int UNDESCRIBED_CONTINUATION_PARENT = 8;

  private static final int STACK_ALIGNMENT = 16;

  // CodeCache, CodeHeap: static fields hold addresses.
  public final Field codeHeaps = field("CodeCache::_heaps");
  public final Field codeLowBound = field("CodeCache::_low_bound");
  public final Field codeHighBound = field("CodeCache::_high_bound");
  public final Field arrayLength = field("GrowableArrayBase::_len");
  public final Field arrayData = field("GrowableArray<int>::_data");
  public final Field heapMemory = field("CodeHeap::_memory");
  public final Field heapSegmap = field("CodeHeap::_segmap");
  public final Field heapLog2SegmentSize = field("CodeHeap::_log2_segment_size");
  public final Field spaceHighBoundary = field("VirtualSpace::_high_boundary");
  public final Field spaceLow = field("VirtualSpace::_low");
  public final Field spaceHigh = field("VirtualSpace::_high");
  public final Field blockUsed = field("HeapBlock::Header::_used");
  public final int heapSize = heapLog2SegmentSize == null ? 0 : heapLog2SegmentSize.end();
  public final int heapBlockSize = size("HeapBlock");

  // CodeBlob
  public final Field blobName = field("CodeBlob::_name");
  public final Field blobSize = field("CodeBlob::_size");
  public final Field blobFrameSize = field("CodeBlob::_frame_size");
  public final Field blobFrameComplete = field("CodeBlob::_frame_complete_offset");
  public final Field blobDataOffset = field("CodeBlob::_data_offset");
  public final Place codeBegin =
      place(
          new Name("CodeBlob::_code_begin", Base.ABSOLUTE),
          new Name("CodeBlob::_code_offset", Base.BLOB));

  // nmethod
  public final int nmethodSize = size("nmethod");
  public final Field method = field("CompiledMethod::_method", "nmethod::_method");
  public final Field compileId = field("nmethod::_compile_id");
  public final Field compLevel = field("nmethod::_comp_level");

  /** Null where dead code does not stay in the code cache. */
  public final Field codeState = version.keepsDeadCode() ? field("nmethod::_state") : null;

  public final Field entryBci = field("nmethod::_entry_bci");
  public final Field origPcOffset = field("nmethod::_orig_pc_offset");
  public final Field stubOffset = field("nmethod::_stub_offset");
  public final Field osrEntry = field("nmethod::_osr_entry_point");
  public final Place verifiedEntry =
      place(
          new Name("nmethod::_verified_entry_point", Base.ABSOLUTE),
          new Name("nmethod::_verified_entry_offset", Base.CODE));
  public final Place deoptHandler =
      place(
          new Name("CompiledMethod::_deopt_handler_begin", Base.ABSOLUTE),
          new Name("nmethod::_deopt_handler_offset", Base.BLOB),
          new Name("nmethod::_deopt_handler_entry_offset", Base.BLOB));

  /** Null where there is none (26 on). */
  public final Place deoptMhHandler =
      place(
          version.hasMethodHandleDeoptHandler(),
          new Name("CompiledMethod::_deopt_mh_handler_begin", Base.ABSOLUTE),
          new Name("nmethod::_deopt_mh_handler_offset", Base.BLOB));

  // Three layouts of an nmethod. Either of two entries tells which: the lack of one is noticed.
  private final boolean immutableOutside =
      isDescribed("nmethod::_immutable_data") || isDescribed("nmethod::_immutable_data_size");
  private final boolean mutableOutside =
      isDescribed("CodeBlob::_mutable_data") || isDescribed("CodeBlob::_mutable_data_size");
  private final Base debugData = immutableOutside ? Base.IMMUTABLE_DATA : Base.BLOB;

  public final Place pcDescsBegin = new Place(field("nmethod::_scopes_pcs_offset"), debugData);
  public final Place pcDescsEnd =
      new Place(
          field(
              immutableOutside ? "nmethod::_scopes_data_offset" : "nmethod::_dependencies_offset"),
          debugData);
  public final Place scopesBegin =
      immutableOutside
          ? pcDescsEnd
          : new Place(field("CompiledMethod::_scopes_data_begin"), Base.ABSOLUTE);
  public final Place scopesEnd = immutableOutside ? immutableScopesEnd() : pcDescsBegin;

  // Outside the blob, data of JVMCI is behind the metadata, included here; no scope names it.
  public final Place metadataBegin =
      mutableOutside
          ? new Place(field("CodeBlob::_relocation_size"), Base.MUTABLE_DATA)
          : new Place(field("nmethod::_metadata_offset"), immutableOutside ? Base.DATA : Base.BLOB);
  public final Place metadataEnd =
      mutableOutside
          ? new Place(field("CodeBlob::_mutable_data_size"), Base.MUTABLE_DATA)
          : immutableOutside ? new Place(blobSize, Base.BLOB) : scopesBegin;

  /** Null where all is inside the blob. */
  public final Field immutableData = immutableOutside ? field("nmethod::_immutable_data") : null;

  /** Null where all is inside the blob. */
  public final Field mutableData = mutableOutside ? field("CodeBlob::_mutable_data") : null;

  public final Field pcDescPcOffset = field("PcDesc::_pc_offset");
  public final Field pcDescScopeOffset = field("PcDesc::_scope_decode_offset");
  public final int pcDescSize = size("PcDesc");
  public final boolean unsigned5ExcludesZero = version.unsigned5ExcludesZero();

  // Method and what names it
  public final int methodSize = size("Method");
  public final Field constMethod = field("Method::_constMethod");
  public final Field accessFlags = field("Method::_access_flags");
  public final int constMethodHeaderSize = size("ConstMethod");
  public final Field constants = field("ConstMethod::_constants");
  public final Field constMethodSize = field("ConstMethod::_constMethod_size");
  public final Field codeSize = field("ConstMethod::_code_size");
  public final Field nameIndex = field("ConstMethod::_name_index");
  public final Field signatureIndex = field("ConstMethod::_signature_index");
  public final Field methodIdnum = field("ConstMethod::_method_idnum");
  public final Field constMethodFlags = field("ConstMethod::_flags", "ConstMethod::_flags._flags");
  public final long hasLineNumberTable =
      constant(
          "ConstMethod::_has_linenumber_table", "ConstMethodFlags::_misc_has_linenumber_table");
  public final int constantPoolSize = size("ConstantPool");
  public final Field poolHolder = field("ConstantPool::_pool_holder");
  public final Field poolLength = field("ConstantPool::_length");
  public final Field sourceFileIndex = field("ConstantPool::_source_file_name_index");
  public final Field poolCache = field("ConstantPool::_cache");

  private final boolean apart =
      isDescribed("ConstantPoolCache::_resolved_method_entries")
          || isDescribed("ResolvedMethodEntry::_cpool_index");
  private final Field called =
      field("ConstantPoolCache::_resolved_method_entries", "ConstantPoolCacheEntry::_indices");

  /** Null where the cache's entries are of one kind, inside it (up to 22). */
  public final Field resolvedMethods = apart ? called : null;

  /** Where an entry of either kind has its index in the constant pool. */
  public final Field calledIndex = apart ? field("ResolvedMethodEntry::_cpool_index") : called;

  /** Distance of the first entry from the start of the array, or of the cache. */
  public final int calledEntries =
      apart ? offset("Array<ResolvedMethodEntry>::_data") : size("ConstantPoolCache");

  public final int calledEntrySize = size(apart ? "ResolvedMethodEntry" : "ConstantPoolCacheEntry");
  public final Field klassName = field("Klass::_name");
  public final Field klassMethods = field("InstanceKlass::_methods");
  public final Field klassConstants = field("InstanceKlass::_constants");
  public final Field methodArrayLength = field("Array<int>::_length");
  public final Field methodArrayData = field("Array<Method*>::_data");
  public final Field symbolLength = field("Symbol::_length");
  public final Field symbolBody = field("Symbol::_body");

  // Interpreter and stubs
  public final Field interpreterCode = field("AbstractInterpreter::_code");
  public final Field queueBuffer = field("StubQueue::_stub_buffer");
  public final Field queueBegin = field("StubQueue::_queue_begin");
  public final Field queueEnd = field("StubQueue::_queue_end");
  public final Field codeletSize = field("InterpreterCodelet::_size");
  public final Field codeletDescription = field("InterpreterCodelet::_description");
  public final int codeletHeaderSize = size("InterpreterCodelet");
  public final Field callStubReturn = field("StubRoutines::_call_stub_return_address");

  // Threads
  public final Field threadList = field("ThreadsSMRSupport::_java_thread_list");
  public final Field threadListLength = field("ThreadsList::_length");
  public final Field threadListThreads = field("ThreadsList::_threads");
  public final Field osThread = field("JavaThread::_osthread", "Thread::_osthread");
  public final Field osThreadId = field("OSThread::_thread_id");

  /** Null where the JDK does not export it. */
  public final Field stackBase = optionalField("Thread::_stack_base", "JavaThread::_stack_base");

  /** Null where the JDK does not export it. */
  public final Field stackSize = optionalField("Thread::_stack_size", "JavaThread::_stack_size");

  /** Where a JavaThread has its last Java frame; null where the JDK does not export it. */
  public final Field anchor = optionalField("JavaThread::_anchor");

  /** In the anchor; null where the JDK does not export it. */
  public final Field lastJavaSp = optionalField("JavaFrameAnchor::_last_Java_sp");

  /** In the anchor; null where the JDK does not export it. */
  public final Field lastJavaFp = optionalField("JavaFrameAnchor::_last_Java_fp");

  /** In the anchor; null where the JDK does not export it. */
  public final Field lastJavaPc = optionalField("JavaFrameAnchor::_last_Java_pc");

  /** In a JavaThread; null where the JDK does not export it. */
  public final Field threadState = optionalField("JavaThread::_thread_state");

  /** The monitor that a JavaThread waits to enter; null where the JDK does not export it. */
  public final Field pendingMonitor =
      optionalField("JavaThread::_current_pending_monitor", "Thread::_current_pending_monitor");

  /** The monitor that a JavaThread waits on, by Object.wait; null where it is not exported. */
  public final Field waitingMonitor =
      optionalField("JavaThread::_current_waiting_monitor", "Thread::_current_waiting_monitor");

  // Objects in the heap, and their classes: null where the JDK does not export it.
  public final Field threadObject = optionalField("JavaThread::_threadObj");
  public final Field klassSuper = optionalField("Klass::_super");
  public final Field klassLayout = optionalField("Klass::_layout_helper");

  /** As an array of numbers up to 20, as a stream of UNSIGNED5 since. */
  public final Field classFields =
      optionalField("InstanceKlass::_fields", "InstanceKlass::_fieldinfo_stream");

  /** Null where the stream says it. */
  public final Field javaFieldsCount =
      isDescribed("InstanceKlass::_fields")
          ? optionalField("InstanceKlass::_java_fields_count")
          : null;

  /** Where an array of bytes, or of numbers of 16 bits, has its first element. */
  public final Field classFieldsData =
      optionalField(javaFieldsCount == null ? "Array<u1>::_data" : "Array<u2>::_data");

  public final Field oopBase =
      optionalField("CompressedOops::_narrow_oop._base", "CompressedOops::_base");
  public final Field oopShift =
      optionalField("CompressedOops::_narrow_oop._shift", "CompressedOops::_shift");
  public final Field narrowKlassBase =
      optionalField(
          "CompressedKlassPointers::_narrow_klass._base", "CompressedKlassPointers::_base");
  public final Field narrowKlassShift =
      optionalField(
          "CompressedKlassPointers::_narrow_klass._shift", "CompressedKlassPointers::_shift");
  public final Field objectKlass =
      optionalField("oopDesc::_metadata._klass", "oopDesc::_compressed_klass");

  /** How far the class is shifted in the mark of an object, where headers are compact; 0: none. */
  public final int markKlassShift = (int) optionalConstant("markWord::klass_shift");

  // Garbage collections and performance data

  /** Whether a pause is going on; null where the JDK does not export it. */
  public final Field pauseIsOn =
      optionalField("CollectedHeap::_is_gc_active", "CollectedHeap::_is_stw_gc_active");

  public final Field collectedHeap = field("Universe::_collectedHeap");
  public final Field totalCollections = field("CollectedHeap::_total_collections");
  public final Field heapReserved = optionalField("CollectedHeap::_reserved");

  /** Both null where the VM is built without performance data. */
  public final Field perfStart = optionalField("PerfMemory::_start");

  public final Field perfTop = optionalField("PerfMemory::_top");

  /** ContinuationEntry::_return_pc; null on JDKs without continuations. */
  public final Field continuationReturnPc = optionalField("ContinuationEntry::_return_pc");

  /** What a ContinuationEntry takes of the stack, in bytes: its size, aligned. */
  public final int continuationEntrySize =
      alignedSize(optionalSize("ContinuationEntry", UNDESCRIBED_CONTINUATION_ENTRY_SIZE));

  /** Where a ContinuationEntry has its parent. */
  public final int continuationParent =
      optionalOffset("ContinuationEntry::_parent", UNDESCRIBED_CONTINUATION_PARENT);

  // Flags, which show the collector: null where they are not described.
  public final Field flags = optionalField("JVMFlag::flags");
  public final Field flagCount = optionalField("JVMFlag::numFlags");
  public final Field flagName = optionalField("JVMFlag::_name");
  public final Field flagValue = optionalField("JVMFlag::_addr");

  /** sizeof(JVMFlag); 0 where it is not described. */
  public final int flagSize = optionalSize("JVMFlag", 0);

  /**
   * Finds everything.
   *
   * @throws UnsupportedVmException naming all that is missing
   */
  public Layout(VmStructs structs, JdkVersion version) throws UnsupportedVmException {
    super(structs, version);
    requireAll();
  }

  private Place immutableScopesEnd() {
    Field references = optionalField("nmethod::_immutable_data_ref_count_offset");
    Field size = field("nmethod::_immutable_data_size");
    return new Place(references == null ? size : references, debugData);
  }

  /** The room on the stack of an entry of that sizeof. */
  static int alignedSize(int size) {
    return size + STACK_ALIGNMENT - 1 & -STACK_ALIGNMENT;
  }
}
