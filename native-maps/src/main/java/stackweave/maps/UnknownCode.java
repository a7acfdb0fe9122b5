package stackweave.maps;

/**
 * Code that belongs to no function that is known.
 *
 * @param start ELF virtual address of its first byte
 * @param end the first address behind it
 */
public record UnknownCode(long start, long end) {

  /**
   * What of it lies between two functions.
   *
   * @param functionEnd where the function before ends, and next where the one behind it begins; −1
   *     for none
   */
  UnknownCode between(long functionEnd, long next) {
    return new UnknownCode(
        functionEnd == -1 ? start : Math.max(start, functionEnd),
        next == -1 ? end : Math.min(end, next));
  }
}
