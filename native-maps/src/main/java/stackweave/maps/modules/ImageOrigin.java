package stackweave.maps.modules;

/** Where the ELF image of a module was read. */
public enum ImageOrigin {
  /** The file that the kernel has mapped, through /proc/PID/map_files: right even if deleted. */
  MAPPED_FILE("mapped file"),
  /** The file at the path, which was verified to be the one that is mapped. */
  FILE("file"),
  /** The memory that the loader has laid out: .dynsym and unwind sections, but no .symtab. */
  MEMORY("memory"),
  /** Nowhere: the module has ranges, but neither symbols nor unwind information. */
  NONE("none");

  private final String label;

  ImageOrigin(String label) {
    this.label = label;
  }

  /** A word or two for people. */
  public String label() {
    return label;
  }
}
