package stackweave.maps.elf;

/**
 * Code that belongs to no function that is known.
 *
 * @param start ELF virtual address of its first byte
 * @param end the first address behind it
 */
public record UnknownCode(long start, long end) {

  /**
   * What of it lies around an address, between two functions.
   *
   * @param functionEnd where the function before ends, and next where the one behind begins; what
   *     is not on that side of the address, such as −1 for none, says nothing
   */
  public UnknownCode around(long address, long functionEnd, long next) {
    return new UnknownCode(
        functionEnd > start && functionEnd <= address ? functionEnd : start,
        next > address && next < end ? next : end);
  }
}
