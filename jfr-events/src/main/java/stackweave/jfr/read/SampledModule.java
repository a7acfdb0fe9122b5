package stackweave.jfr.read;

/**
 * A mapped library or program. Texts are empty where the recording does not say.
 *
 * @param path path as mapped, or a name in brackets such as {@code [vdso]}
 * @param name the file's name without what its loader made up for one run
 * @param buildId GNU build id in hexadecimal
 * @param start first mapped address of its code
 * @param end first address behind its code
 * @param unwindSource where its unwind rules come from
 * @param unwindReason why from there
 * @param functions how many functions its unwind information describes
 * @param symbolsFrom where its names come from
 * @param hasOtherBuilds whether its session has other builds of the same name
 */
public record SampledModule(
    String path,
    String name,
    String buildId,
    long start,
    long end,
    String unwindSource,
    String unwindReason,
    long functions,
    String symbolsFrom,
    boolean hasOtherBuilds) {

  /** The name of the file as mapped. */
  public String file() {
    return path.substring(path.lastIndexOf('/') + 1);
  }
}
