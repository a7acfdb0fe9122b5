package stackweave.maps.proc;

/**
 * One line of /proc/PID/maps: a range of addresses and what lies there.
 *
 * <p>Source: Documentation/filesystems/proc.rst and fs/proc/task_mmu.c of Linux.
 *
 * @param start first address, unsigned
 * @param end first address after the range, unsigned
 * @param offset where in the file the range begins, in bytes
 * @param major major number of the file's device as the kernel prints it here; on stacked file
 *     systems it need not be the one that stat() gives
 * @param minor minor number of the same
 * @param inode inode number, 0 where there is no file
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

  /** Whether a file lies behind this range (deleted or not, in memory only or not). */
  public boolean isFile() {
    return inode != 0 && !path.isEmpty();
  }

  /** Whether this and {@code other} show the same file, as far as device and inode can tell. */
  public boolean isSameFile(Mapping other) {
    return inode == other.inode && major == other.major && minor == other.minor;
  }
}
