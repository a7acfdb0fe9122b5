package stackweave.agent.decode;

import java.util.List;
import java.util.Locale;
import stackweave.maps.modules.MappedModule;
import stackweave.maps.modules.ModuleIndex;
import stackweave.maps.modules.ModuleMap;

/**
 * Finds libraries that signals would harm. Some unmap a thread's signal stack while the kernel
 * still uses it, and a signal on that stack then ends the process: Wasmtime does when a thread ends
 * that has run WebAssembly (issue 13857 of its repository, fixed in July 2026). Go code, on the
 * other hand, runs on stacks that are too small for a signal, and needs its signal stacks.
 *
 * <p>Other code sets its stack pointer into buffers of its own, with data right below it, where the
 * kernel puts a signal's frame: oneDNN's generated matrix kernels do (seen in 3.6.1), and so do
 * libraries that contain it.
 *
 * <p>Both are looked for again only after the mappings have changed. For the drain thread only.
 */
public final class SignalStacks {
  private static final String UNMAPPING = "wasmtime";

  /** A function that each Go library exports for calls from C. */
  private static final String OF_GO = "crosscall2";

  /** Names of oneDNN and of libraries that contain it. */
  private static final List<String> ON_HEAP =
      List.of("dnnl", "mkldnn", "onednn", "torch_cpu", "tensorflow", "openvino_intel_cpu");

  private final ModuleIndex modules;

  /** Generation of the mappings that were searched. */
  private int generation = -1;

  private String heapStackLibrary = "";
  private boolean mayVanish;

  /** Searches the mappings that are known at each call. */
  public SignalStacks(ModuleIndex modules) {
    this.modules = modules;
  }

  /** A library that no signal may interrupt; empty if none is known. */
  public String heapStackLibrary() {
    search();
    return heapStackLibrary;
  }

  /** Whether signal stacks may be unmapped: then a signal should stay on the interrupted stack. */
  public boolean mayVanish() {
    search();
    return mayVanish;
  }

  private void search() {
    ModuleMap mapped = modules.latest();
    if (mapped.generation() != generation) {
      generation = mapped.generation();
      heapStackLibrary = heapStackLibrary(mapped);
      mayVanish = mayVanish(mapped);
    }
  }

  private static String heapStackLibrary(ModuleMap mapped) {
    for (MappedModule module : mapped.modules()) {
      String name = module.name().toLowerCase(Locale.ROOT);
      for (String part : ON_HEAP) {
        if (name.contains(part)) {
          return module.name();
        }
      }
    }
    return "";
  }

  private static boolean mayVanish(ModuleMap mapped) {
    boolean unmapping = false;
    for (MappedModule module : mapped.modules()) {
      unmapping |= module.name().contains(UNMAPPING);
    }
    return unmapping && mapped.modules().stream().noneMatch(module -> module.addressOf(OF_GO) != 0);
  }
}
