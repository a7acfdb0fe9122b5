package stackweave.maps.proc;

/**
 * One line of /proc/PID/maps. Immutable. Source: Documentation/filesystems/proc.rst and
 * fs/proc/task_mmu.c of Linux.
 *
 * @param start first address, unsigned
 * @param end first address after the range, unsigned
 * @param offset offset of the range in the file, in bytes
 * @param major major number of the file's device as in maps; on stacked file systems it may differ
 *     from that of stat()
 * @param minor minor number of the same
 * @param inode inode number, 0 if there is no file
 * @param path path of the file without the mark of deletion, a name in brackets such as {@code
 *     [vdso]}, or "" for anonymous memory
 * @param deleted whether the kernel marks the file as deleted
 */
public record Mapping(
    long start,
    long end,
    boolean readable,
    boolean writable,
    boolean executable,
    boolean shared,
    long offset,
    int major,
    int minor,
    long inode,
    String path,
    boolean deleted) {

  /** Whether the range is of a file, deleted or in memory only included. */
  public boolean isFile() {
    return inode != 0 && !path.isEmpty();
  }

  /** Whether both are of the same file, as far as device and inode tell. */
  public boolean isSameFile(Mapping other) {
    return inode == other.inode && major == other.major && minor == other.minor;
  }
}
