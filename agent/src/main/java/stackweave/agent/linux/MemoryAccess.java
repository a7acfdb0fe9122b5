package stackweave.agent.linux;

import java.util.Locale;

/** What the user wants the process's own memory to be read with. */
public enum MemoryAccess {
  /** process_vm_readv, but /proc/self/mem where a seccomp filter may kill. */
  AUTO,
  /**
   * process_vm_readv whatever filter there is; /proc/self/mem where it is answered with an error.
   */
  PROCESS_VM_READV,
  /** /proc/self/mem, always. */
  PROC_SELF_MEM;

  /** The name in options. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
