package stackweave.maps.modules;

/** Where the ELF image of a module was read from. */
public enum ImageOrigin {
  /** The mapped file, by a kept descriptor or /proc/PID/map_files: right even if deleted. */
  MAPPED_FILE("mapped file"),
  /** The file at the path, verified to be the mapped one. */
  FILE("file"),
  /** The memory laid out by the loader: .dynsym and unwind sections, but no .symtab. */
  MEMORY("memory"),
  /** Nothing: the module has ranges, but neither symbols nor unwind information. */
  NONE("none");

  private final String label;

  ImageOrigin(String label) {
    this.label = label;
  }

  /** A word or two for users. */
  public String label() {
    return label;
  }
}
