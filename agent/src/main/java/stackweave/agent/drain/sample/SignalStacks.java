package stackweave.agent.drain.sample;

import stackweave.maps.modules.MappedModule;
import stackweave.maps.modules.ModuleMap;

/**
 * Whether some library unmaps its threads' signal stacks while the kernel still uses them: a signal
 * that asks for that stack then ends the process. Wasmtime does when a thread ends that has run
 * WebAssembly (issue 13857 of its repository, mended in July 2026). Code of Go, on the other hand,
 * runs on stacks that are too small for a signal, and needs its signal stacks. Used by {@link
 * SamplePipeline} after the mappings have changed.
 */
final class SignalStacks {
  private static final String UNMAPPING = "wasmtime";

  /** A function that each library of Go exports for its calls of C. */
  private static final String OF_GO = "crosscall2";

  private SignalStacks() {}

  /** Whether a signal should stay on the stack that it comes upon. */
  static boolean mayVanish(ModuleMap mapped) {
    boolean unmapping = false;
    for (MappedModule module : mapped.modules()) {
      unmapping |= module.name().contains(UNMAPPING);
    }
    return unmapping && mapped.modules().stream().noneMatch(module -> module.addressOf(OF_GO) != 0);
  }
}
