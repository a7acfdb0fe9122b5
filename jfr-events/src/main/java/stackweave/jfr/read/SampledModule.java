package stackweave.jfr.read;

/**
 * A mapped library or program. Texts are empty if unknown. Immutable.
 *
 * @param path path as mapped, or a name in brackets such as {@code [vdso]}
 * @param name the file's name without parts that its loader generated for one run
 * @param buildId GNU build id in hexadecimal
 * @param start first mapped address of its code
 * @param end first address after its code
 * @param unwindSource origin of its unwind rules
 * @param unwindReason why this origin
 * @param functions number of functions that its unwind information describes
 * @param symbolsFrom origin of its symbols
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

  /** Whether it is the vdso: the kernel's code in each process, of which there is no file. */
  public boolean isVdso() {
    return path.equals("[vdso]");
  }

  /** The same, whose session has other builds of its name or has none. */
  public SampledModule withOtherBuilds(boolean others) {
    return new SampledModule(
        path,
        name,
        buildId,
        start,
        end,
        unwindSource,
        unwindReason,
        functions,
        symbolsFrom,
        others);
  }

  /** The name of the file as mapped. */
  public String file() {
    return path.substring(path.lastIndexOf('/') + 1);
  }
}
