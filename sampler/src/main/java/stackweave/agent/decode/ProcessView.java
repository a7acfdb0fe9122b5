package stackweave.agent.decode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.function.Consumer;
import stackweave.agent.decode.thread.JavaStacks;
import stackweave.engine.ThreadStacks;
import stackweave.hotspot.HotSpot;
import stackweave.hotspot.vmstructs.SymbolAddresses;
import stackweave.hotspot.vmstructs.UnsupportedVmException;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.FilesBelowRoot;
import stackweave.linux.GuardedCall;
import stackweave.linux.MemoryAccess;
import stackweave.linux.ProcessMemory;
import stackweave.linux.SystemCalls;
import stackweave.linux.memory.DirectSelfMemory;
import stackweave.linux.memory.MappedTables;
import stackweave.maps.modules.MappedModule;
import stackweave.maps.modules.ModuleIndex;
import stackweave.maps.modules.ModuleSources;
import stackweave.maps.proc.ProcessFiles;
import stackweave.unwind.rule.RuleTable;

/**
 * The state of the process that decoding needs: what is mapped, and what its VM has unloaded. If
 * possible it is read before samples are taken, because code that was unloaded or unmapped by then
 * can't be in them. For the drain thread.
 */
public final class ProcessView implements AutoCloseable {
  private static final String LIBJVM = "libjvm.so";

  private final SampledProcess process;
  private final ProcessMemory memory;

  /** Null for this process, whose files need not be opened. */
  private final FilesBelowRoot belowRoot;

  private final MappedTables tables = new MappedTables();
  private final RuleTable rules =
      new RuleTable(SystemCalls.current().orElseThrow().architecture(), tables);
  private final ModuleIndex modules;

  private final SignalStacks signalStacks;

  /** When the mappings were last read, by {@link System#nanoTime}. */
  private long lookedAt;

  /** Null if the VM is not supported, or can't be read. */
  private HotSpot hotSpot;

  /** Why Java frames can't be found; empty if they can. */
  private String nativeOnly = "";

  /** A view of a process of which nothing was read yet. */
  ProcessView(SampledProcess process, ProcessMemory memory, FilesBelowRoot belowRoot) {
    this.process = process;
    this.memory = memory;
    this.belowRoot = belowRoot;
    this.modules = new ModuleIndex(memory, rules, ModuleSources.of(process.directory(), files()));
    this.signalStacks = new SignalStacks(modules);
  }

  /**
   * Looks at a process.
   *
   * @param areSamplesTaken whether samples may have been taken before
   * @param prepare called with the modules before they are read
   * @throws UncheckedIOException where its maps can't be read
   */
  public static ProcessView open(
      SampledProcess process,
      MemoryAccess access,
      boolean areSamplesTaken,
      Consumer<ModuleIndex> prepare) {
    FilesBelowRoot files = filesOf(process);
    ProcessView view = new ProcessView(process, new ProcessMemory(process, access), files);
    boolean opened = false;
    try {
      prepare.accept(view.modules());
      view.look(areSamplesTaken);
      opened = true;
      return view;
    } finally {
      if (!opened) {
        view.close();
      }
    }
  }

  private static FilesBelowRoot filesOf(SampledProcess process) {
    try {
      return process.isOwn() ? null : FilesBelowRoot.of(process);
    } catch (IOException e) {
      throw new UncheckedIOException("the process's files can't be opened", e);
    }
  }

  private void look(boolean areSamplesTaken) {
    lookedAt = System.nanoTime();
    try {
      modules.refresh(lookedAt);
    } catch (IOException e) {
      throw new UncheckedIOException(process.file("maps") + " can't be read", e);
    }
    String denial = memory.denial();
    if (!denial.isEmpty()) {
      nativeOnly =
          "native frames only: the process's memory can't be read ("
              + denial
              + "); a seccomp profile that allows process_vm_readv, or a readable "
              + process.file("mem")
              + ", lifts it";
      return;
    }
    try {
      hotSpot = HotSpot.open(libjvm(), memory, process.isOwn() ? new DirectSelfMemory() : null);
      if (areSamplesTaken) {
        hotSpot.openedAfterSamples();
      }
    } catch (UnsupportedVmException e) {
      nativeOnly = "native frames only: " + e.getMessage();
    }
  }

  /** Reads what was mapped before the engine began to report mappings. */
  public void lookAgain() {
    try {
      modules.refresh(System.nanoTime(), lookedAt);
    } catch (IOException e) {
      // Samples in these mappings have unknown code until the next look.
      return;
    }
  }

  /** The libraries in nearly every stack: libjvm and libc. */
  public List<MappedModule> neededByMost() {
    return modules.latest().modules().stream()
        .filter(module -> module.name().equals(LIBJVM) || module.isLibc())
        .toList();
  }

  /** Avoids system calls for which a seccomp filter may kill the process. */
  public void avoidFilteredCalls() {
    memory.guard();
  }

  /** Which process it is. */
  public SampledProcess process() {
    return process;
  }

  /** Whether it has the VM's library. */
  public boolean isJvm() {
    return modules.latest().named(LIBJVM) != null;
  }

  /** The symbols of the VM's library. */
  public SymbolAddresses libjvm() {
    MappedModule libjvm = modules.latest().named(LIBJVM);
    return libjvm == null ? symbol -> 0 : libjvm::addressOf;
  }

  /** Reads the process's memory. */
  public ProcessMemory memory() {
    return memory;
  }

  /** Opens its files. */
  public ProcessFiles files() {
    return belowRoot == null ? ProcessFiles.OWN : belowRoot;
  }

  /** What is mapped. */
  public ModuleIndex modules() {
    return modules;
  }

  /** The VM; null if it is not supported, or can't be read. */
  public HotSpot hotSpot() {
    return hotSpot;
  }

  /** Its unwind rules. */
  public RuleTable rules() {
    return rules;
  }

  MappedTables tables() {
    return tables;
  }

  /** What libraries do with the stacks of signals. */
  public SignalStacks signalStacks() {
    return signalStacks;
  }

  /** Bounds of Java threads' stacks. */
  public ThreadStacks javaStacks() {
    return hotSpot == null ? ThreadStacks.NONE : new JavaStacks(hotSpot.threads());
  }

  /** Why Java frames can't be found; empty if they can. */
  public String nativeOnly() {
    return nativeOnly;
  }

  /**
   * A note for users; empty for none. It may change in the first second, with how memory is read.
   */
  public String note() {
    return nativeOnly.isEmpty() ? memoryNote(memory) : nativeOnly;
  }

  static String memoryNote(ProcessMemory memory) {
    return switch (memory.way()) {
      case PROCESS_VM_READV -> "";
      case PROC_SELF_MEM ->
          memory.isGuarded()
              ? "memory is read through /proc/self/mem, process_vm_readv "
                  + GuardedCall.PROCESS_VM_READV.notTried()
              : "";
      case NONE ->
          memory.denial().isEmpty()
              ? ""
              : "this process can't read its own memory ("
                  + memory.denial()
                  + "), so stacks end early or lack their names; it is tried again each second, and"
                  + " needs a free file descriptor and a readable /proc/self/mem";
    };
  }

  @Override
  public void close() {
    memory.close();
    tables.close();
    if (belowRoot != null) {
      belowRoot.close();
    }
  }
}
