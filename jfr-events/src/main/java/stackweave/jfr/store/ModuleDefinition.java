package stackweave.jfr.store;

/**
 * The definition of a mapped module. Unknown texts are empty. Immutable.
 *
 * @param path path as mapped, or a name in brackets such as {@code [vdso]}
 * @param buildId GNU build id in hexadecimal
 * @param start first address of the mapping
 * @param end first address after it
 * @param unwindSource origin of its unwind rules
 * @param unwindReason why this origin
 * @param functions number of functions that its unwind information describes
 * @param symbolsFrom origin of its symbols
 */
public record ModuleDefinition(
    String path,
    String buildId,
    long start,
    long end,
    String unwindSource,
    String unwindReason,
    long functions,
    String symbolsFrom) {

  /** Written out, because a record's own is linked at run time, which takes milliseconds. */
  @Override
  public int hashCode() {
    return path.hashCode() * 31 + Long.hashCode(start);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ModuleDefinition module
        && start == module.start
        && end == module.end
        && functions == module.functions
        && path.equals(module.path)
        && buildId.equals(module.buildId)
        && unwindSource.equals(module.unwindSource)
        && unwindReason.equals(module.unwindReason)
        && symbolsFrom.equals(module.symbolsFrom);
  }
}
