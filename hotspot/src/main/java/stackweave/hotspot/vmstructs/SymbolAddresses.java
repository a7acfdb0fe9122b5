package stackweave.hotspot.vmstructs;

/**
 * Where the exported symbols of libjvm are in the process. Implemented by the owner of the
 * process's modules, asked when the VM is opened.
 */
@FunctionalInterface
public interface SymbolAddresses {

  /** The runtime address of an exported symbol of libjvm, or 0 if it has none of that name. */
  long addressOf(String symbol);
}
