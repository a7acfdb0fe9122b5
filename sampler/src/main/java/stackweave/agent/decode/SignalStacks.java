package stackweave.agent.decode;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import stackweave.jfr.process.SampledProcess;
import stackweave.maps.modules.MappedModule;
import stackweave.maps.modules.ModuleIndex;
import stackweave.maps.modules.ModuleMap;
import stackweave.maps.proc.Mapping;
import stackweave.maps.proc.ProcMaps;

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
      List<String> names = names(mapped);
      heapStackLibrary = heapStackLibrary(names);
      mayVanish = unmaps(names) && !isGoIn(mapped);
    }
  }

  /**
   * The names of the libraries that a process has mapped, without directories: also of those whose
   * code is not in a mapping of their file, because it was moved onto huge pages. To read them
   * takes a twentieth of the time that a first look at the modules takes.
   *
   * @throws IOException if its maps can't be read
   */
  public static List<String> names(SampledProcess process) throws IOException {
    List<String> names = new ArrayList<>();
    String last = "";
    for (Mapping mapping : ProcMaps.read(process.directory())) {
      String path = mapping.path();
      boolean isLibrary = mapping.executable() || path.contains(".so");
      if (mapping.isFile() && isLibrary && !path.equals(last)) {
        last = path;
        names.add(path.substring(path.lastIndexOf('/') + 1));
      }
    }
    return names;
  }

  /** The first of these libraries that no signal may interrupt; empty if there is none. */
  public static String heapStackLibrary(List<String> names) {
    for (String name : names) {
      String lower = name.toLowerCase(Locale.ROOT);
      for (String part : ON_HEAP) {
        if (lower.contains(part)) {
          return name;
        }
      }
    }
    return "";
  }

  /** Whether one of these libraries unmaps signal stacks. */
  public static boolean unmaps(List<String> names) {
    for (String name : names) {
      if (name.contains(UNMAPPING)) {
        return true;
      }
    }
    return false;
  }

  private static List<String> names(ModuleMap mapped) {
    List<String> names = new ArrayList<>();
    for (MappedModule module : mapped.modules()) {
      names.add(module.name());
    }
    return names;
  }

  private static boolean isGoIn(ModuleMap mapped) {
    for (MappedModule module : mapped.modules()) {
      if (module.addressOf(OF_GO) != 0) {
        return true;
      }
    }
    return false;
  }
}
