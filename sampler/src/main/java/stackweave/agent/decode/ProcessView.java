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
import stackweave.linux.GuardedCall;
import stackweave.linux.MemoryAccess;
import stackweave.linux.SelfMemory;
import stackweave.linux.SystemCalls;
import stackweave.linux.memory.DirectSelfMemory;
import stackweave.linux.memory.MappedTables;
import stackweave.maps.modules.MappedModule;
import stackweave.maps.modules.ModuleIndex;
import stackweave.unwind.rule.RuleTable;

/**
 * What has to be known of the process before its samples are decoded: what is mapped, and what its
 * VM has unloaded. It is made before samples are taken where that is possible, because what was
 * unloaded or unmapped before says nothing about them. For the drain thread.
 */
public final class ProcessView implements AutoCloseable {
  private static final String LIBJVM = "libjvm.so";

  private final SelfMemory memory;
  private final MappedTables tables = new MappedTables();
  private final RuleTable rules =
      new RuleTable(SystemCalls.current().orElseThrow().architecture(), tables);
  private final ModuleIndex modules;

  private final SignalStacks signalStacks;

  /** When it was looked at what is mapped, by {@link System#nanoTime}. */
  private long lookedAt;

  /** Null if the VM is not supported, or can't be read. */
  private HotSpot hotSpot;

  /** Why there are native frames only; empty where there are others. */
  private String nativeOnly = "";

  /** Of a process of which nothing is known so far. */
  ProcessView(SelfMemory memory) {
    this.memory = memory;
    this.modules = new ModuleIndex(memory, rules);
    this.signalStacks = new SignalStacks(modules);
  }

  /**
   * Looks at this process.
   *
   * @param areSamplesTaken whether samples may have been taken before
   * @param prepare is given the modules before any of them is looked for
   * @throws UncheckedIOException where /proc/self/maps can't be read
   */
  public static ProcessView open(
      MemoryAccess access, boolean areSamplesTaken, Consumer<ModuleIndex> prepare) {
    ProcessView view = new ProcessView(new SelfMemory(access));
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

  private void look(boolean areSamplesTaken) {
    lookedAt = System.nanoTime();
    try {
      modules.refresh(lookedAt);
    } catch (IOException e) {
      throw new UncheckedIOException("/proc/self/maps can't be read", e);
    }
    String denial = memory.denial();
    if (!denial.isEmpty()) {
      nativeOnly =
          "native frames only: this process may not read its own memory ("
              + denial
              + "); a seccomp profile that allows process_vm_readv, or a readable /proc/self/mem,"
              + " lifts it";
      return;
    }
    try {
      hotSpot = HotSpot.open(libjvm(), memory, new DirectSelfMemory());
      if (areSamplesTaken) {
        hotSpot.openedAfterSamples();
      }
    } catch (UnsupportedVmException e) {
      nativeOnly = "native frames only: " + e.getMessage();
    }
  }

  /** Looks at what has been mapped since, and was not told by an engine that has begun only now. */
  public void lookAgain() {
    try {
      modules.refresh(System.nanoTime(), lookedAt);
    } catch (IOException e) {
      // Samples in these mappings are of unknown code, until the next look.
      return;
    }
  }

  /** The libraries that nearly every stack goes through: libjvm and libc. */
  public List<MappedModule> neededByMost() {
    return modules.latest().modules().stream()
        .filter(module -> module.name().equals(LIBJVM) || module.isLibc())
        .toList();
  }

  /** Avoids the system calls that a seccomp filter may kill for. */
  public void avoidFilteredCalls() {
    memory.guard();
  }

  /** The symbols of the VM's library. */
  public SymbolAddresses libjvm() {
    MappedModule libjvm = modules.latest().named(LIBJVM);
    return libjvm == null ? symbol -> 0 : libjvm::addressOf;
  }

  /** Reads the process's memory. */
  public SelfMemory memory() {
    return memory;
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

  /** Why there are native frames only; empty where there are others. */
  public String nativeOnly() {
    return nativeOnly;
  }

  /**
   * What users should know of it; empty for nothing. How memory is read may change after a second.
   */
  public String note() {
    return nativeOnly.isEmpty() ? memoryNote(memory) : nativeOnly;
  }

  static String memoryNote(SelfMemory memory) {
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
  }
}
