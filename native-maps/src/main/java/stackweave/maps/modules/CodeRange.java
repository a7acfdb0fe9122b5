package stackweave.maps.modules;

import stackweave.maps.proc.Mapping;

/**
 * An executable range and its module.
 *
 * @param mapping the first one in it
 */
record CodeRange(long start, long end, Mapping mapping, MappedModule module) {

  /** Whether it is the same code at the same place, however the kernel has reported it. */
  @Override
  public boolean equals(Object other) {
    return other instanceof CodeRange range
        && start == range.start
        && end == range.end
        && module == range.module;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(start);
  }

  boolean overlaps(long otherStart, long otherEnd) {
    return Long.compareUnsigned(start, otherEnd) < 0 && Long.compareUnsigned(otherStart, end) < 0;
  }

  /** Whether a mapping is of the same image: the same file at the same distance. */
  boolean isSameImage(Mapping other) {
    boolean sameFile =
        mapping.inode() == 0 || other.inode() == 0
            ? mapping.path().equals(other.path())
            : mapping.isSameFile(other);
    return sameFile && mapping.start() - mapping.offset() == other.start() - other.offset();
  }
}
