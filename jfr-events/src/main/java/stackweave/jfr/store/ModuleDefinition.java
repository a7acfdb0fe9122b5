package stackweave.jfr.store;

/**
 * A mapped module of native code. Texts that are not known are empty.
 *
 * @param path path as mapped, or a name in brackets such as {@code [vdso]}
 * @param buildId GNU build id in hexadecimal
 * @param start first address of the mapping
 * @param end first address behind it
 * @param unwindSource where its unwind rules come from
 * @param unwindReason why from there
 * @param functions how many functions its unwind information describes
 * @param symbolsFrom where its names come from
 */
public record ModuleDefinition(
    String path,
    String buildId,
    long start,
    long end,
    String unwindSource,
    String unwindReason,
    long functions,
    String symbolsFrom) {}
