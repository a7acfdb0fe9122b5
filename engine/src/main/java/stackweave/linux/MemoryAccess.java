package stackweave.linux;

import java.util.Locale;

/** How the process reads its own memory, as the option {@code memory} says. */
public enum MemoryAccess {
  /** process_vm_readv, but /proc/self/mem if a seccomp filter may kill. */
  AUTO,
  /** process_vm_readv despite any filter; /proc/self/mem if that is answered with an error. */
  PROCESS_VM_READV,
  /** /proc/self/mem, always. */
  PROC_SELF_MEM;

  /** The name in options. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
