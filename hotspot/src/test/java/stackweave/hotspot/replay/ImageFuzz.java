package stackweave.hotspot.replay;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import stackweave.hotspot.HotSpot;
import stackweave.hotspot.MixedUnwinder;
import stackweave.hotspot.heap.ThreadObjects;
import stackweave.hotspot.memory.BoundedMemory;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.HotSpotMethods;
import stackweave.hotspot.runtime.BlockedJavaThread;
import stackweave.hotspot.runtime.GarbageCollections;
import stackweave.hotspot.runtime.JavaThreads;
import stackweave.hotspot.runtime.StartedThreadCount;
import stackweave.hotspot.vmstructs.UnsupportedVmException;
import stackweave.unwind.Architecture;
import stackweave.unwind.Registers;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.snapshot.StackSnapshot;
import stackweave.unwind.walk.ModuleList;
import stackweave.unwind.walk.NativeUnwinder;

/**
 * Decodes stacks of recorded JVMs whose memory lies, as that of a process may that somebody else
 * controls. Whatever is read, nothing but an {@link UnsupportedVmException} is thrown, no stack
 * fails, and what a case reads and allocates is bounded.
 */
final class ImageFuzz {
  /** Of one stack: for the VM's structures, and as much for the walk through memory. */
  private static final long MAX_READS = 2 * BoundedMemory.MAX_READS;

  /** Of the opening of a VM, and then of all that is asked of it. */
  private static final long MAX_OPEN_READS = 2 << 20;

  /** Of a case, nearly all of it garbage: any number of names may be of 64 KiB. */
  private static final long MAX_ALLOCATED = 512 << 20;

  private static final int DEPTH = 2048;

  /** Of recorded samples. */
  private static final int MAX_STACK_BYTES = 256 << 10;

  /** So many stacks in a row have the caches of the unwinder in common. */
  private static final int CASES_OF_UNWINDER = 8;

  /** In one of so many cases the VM is opened anew, and is asked about its threads. */
  private static final int CASES_OF_VM = 64;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** A recorded sample, and the libraries around it. */
  private static final class Case {
    final ReplayFile file;
    final CorruptMemory.Image image;
    final RuleTable rules;
    final ModuleList modules = new ModuleList();
    MixedUnwinder unwinder;

    Case(ReplayFile file) {
      this.file = file;
      image = new CorruptMemory.Image(file.memory());
      rules = new RuleTable(file.architecture());
      for (RecordedModule module : file.modules()) {
        modules.add(module.start(), module.end(), module.bias(), module.open(rules));
      }
    }
  }

  private final List<Case> cases = new ArrayList<>();
  private final CorruptMemory memory = new CorruptMemory();
  private final Map<Map<String, Long>, HotSpot> vms = new HashMap<>();
  private final FrameBuffer frames = new FrameBuffer(DEPTH);
  private final StackSnapshot sample = new StackSnapshot(Architecture.X86_64, MAX_STACK_BYTES);
  private long mostReads;
  private long mostOpenReads;
  private long mostAllocated;
  private long refused;

  /**
   * @param oneIn of the cases of each JDK, one in so many is used
   */
  ImageFuzz(Path directory, int oneIn) throws IOException {
    Map<Path, ReplayFile> bases = new HashMap<>();
    List<Path> files = new ArrayList<>();
    for (String jdk : List.of("jdk17", "jdk21", "jdk25", "jdk27")) {
      try (DirectoryStream<Path> all =
          Files.newDirectoryStream(directory.resolve(jdk), "*.replay")) {
        all.forEach(files::add);
      }
    }
    files.sort(null);
    int n = 0;
    for (Path path : files) {
      ReplayFile alone = ReplayReader.read(Files.readAllBytes(path));
      if (alone.needsBase() && n++ % oneIn == 0) {
        Path base = path.resolveSibling(alone.base() + ".replay");
        if (!bases.containsKey(base)) {
          bases.put(base, ReplayReader.read(base));
        }
        cases.add(new Case(alone.on(bases.get(base))));
      }
    }
  }

  /** Most reads of a case so far. */
  long mostReads() {
    return mostReads;
  }

  /** Most reads that opening a VM, or asking it, took so far. */
  long mostOpenReads() {
    return mostOpenReads;
  }

  /** Most bytes that a case has allocated so far. */
  long mostAllocated() {
    return mostAllocated;
  }

  /** How many VMs were refused so far. */
  long refused() {
    return refused;
  }

  /** Runs the case of a number; the same number is the same case. */
  void run(long number) {
    // Cases of one unwinder follow each other.
    long group = number / CASES_OF_UNWINDER;
    long random = CorruptMemory.mixed(group);
    Case from = cases.get((int) Math.floorMod(random >>> 8, (long) cases.size()));
    long before = THREADS.getCurrentThreadAllocatedBytes();
    try {
      if (number % CASES_OF_UNWINDER == 0 || from.unwinder == null) {
        begin(from, group);
      }
      if (from.unwinder != null) {
        unwind(from, number);
      }
    } catch (RuntimeException | Error e) {
      throw new AssertionError("case " + number + ": " + e, e);
    }
    long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
    mostAllocated = Math.max(mostAllocated, allocated);
    if (allocated > MAX_ALLOCATED) {
      throw new AssertionError("case " + number + ": " + allocated + " bytes allocated");
    }
  }

  /** Begins with another unwinder, and perhaps another VM. */
  private void begin(Case from, long group) {
    memory.setImage(from.image);
    from.unwinder = null;
    boolean corrupt = group * CASES_OF_UNWINDER % CASES_OF_VM == 0;
    memory.count(MAX_OPEN_READS);
    try {
      HotSpot vm;
      if (corrupt) {
        memory.corrupt(group);
        vm = open(from.file, group);
      } else {
        vm = vms.get(from.file.symbols());
        if (vm == null) {
          vm = open(from.file, 0);
          vms.put(from.file.symbols(), vm);
        }
        memory.corrupt(group);
      }
      if (group % 4 == 0) {
        ask(vm, CorruptMemory.mixed(group));
      }
      from.unwinder = new MixedUnwinder(new NativeUnwinder(from.rules), vm, new HotSpotMethods());
    } catch (UnsupportedVmException e) {
      checkMessage(e.getMessage());
      refused++;
    } finally {
      mostOpenReads = Math.max(mostOpenReads, memory.reads());
    }
  }

  private static void checkMessage(String message) {
    if (message.length() > 8192 || message.chars().anyMatch(Character::isISOControl)) {
      throw new AssertionError("message of " + message.length() + " characters: " + message);
    }
  }

  private HotSpot open(ReplayFile file, long random) throws UnsupportedVmException {
    return random % 2 == 0
        ? HotSpot.open(symbol -> file.symbols().getOrDefault(symbol, 0L), memory)
        : HotSpot.open(symbol -> file.symbols().getOrDefault(symbol, 0L), memory, null);
  }

  /** All that is asked of a VM besides frames. */
  private void ask(HotSpot vm, long random) {
    memory.count(MAX_OPEN_READS);
    JavaThreads threads = vm.threads();
    threads.all();
    threads.newest(64, (tid, start, end) -> {});
    long address = memory.lie(random, random, random);
    threads.stackOf(address, (tid, start, end) -> {});
    BlockedJavaThread blocked = vm.blockedThread();
    blocked.read(address);
    ThreadObjects objects = vm.threadObjects();
    if (objects != null) {
      objects.begin();
      for (int i = 0; i < 64; i++) {
        objects.read(address + 8 * i);
      }
    }
    vm.reservedHeap();
    vm.codeAt(address);
    GarbageCollections collections = vm.collections();
    StartedThreadCount started = vm.startedThreads();
    try {
      if (collections != null) {
        collections.begun();
      }
      if (started != null) {
        started.count();
      }
    } catch (UnreadableMemoryException e) {
      return; // as it may be
    }
  }

  private void unwind(Case from, long number) {
    long random = CorruptMemory.mixed(~number);
    ReplayFile.Sample recorded = from.file.sample();
    int length = recorded.stack().length;
    sample.clear();
    sample.setTid(recorded.tid());
    sample.setHasRegisters(true);
    System.arraycopy(recorded.stack(), 0, sample.stackBytes(length), 0, length);
    corruptStack(sample.stackBytes(), length, recorded.stackAddress(), random);
    sample.setStack(recorded.stackAddress(), length);
    sample.registers().copyFrom(recorded.registers());
    corruptRegisters(sample.registers(), random);
    sample.setElsewhere(memory);
    sample.setJavaThread(memory.lie(random, random, random));
    if ((random & 7) == 0) {
      sample.setBlocked(recorded.stackAddress() + (random >>> 50), random);
    }
    sample.setTimeNanos((random & 48) == 0 ? 0 : System.nanoTime());
    memory.count(MAX_READS);
    long failures = from.unwinder.failures();
    from.unwinder.unwind(sample, from.modules, frames);
    mostReads = Math.max(mostReads, memory.reads());
    if (from.unwinder.failures() != failures) {
      throw from.unwinder.lastFailure();
    }
  }

  private void corruptStack(byte[] stack, int length, long address, long random) {
    long rarity = (1L << (random >>> 8 & 15)) - 1;
    for (int i = 0; i + 8 <= length; i += 8) {
      long hash = CorruptMemory.mixed(random + i);
      if ((hash & rarity) == 0) {
        CorruptMemory.put(stack, i, memory.lie(hash, address + i, CorruptMemory.longAt(stack, i)));
      }
    }
  }

  private void corruptRegisters(Registers registers, long random) {
    for (int i = 0; i < registers.architecture().registerCount(); i++) {
      long hash = CorruptMemory.mixed(random - i);
      if ((hash & 7) == 0 && registers.isKnown(i)) {
        registers.set(i, memory.lie(hash, registers.sp(), registers.get(i)));
      }
    }
    if ((random >>> 3 & 7) == 0) {
      registers.setPc(memory.lie(random, registers.sp(), registers.pc()));
    }
  }
}
