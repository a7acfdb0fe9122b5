package stackweave.maps.elf;

/**
 * Code that belongs to no known function.
 *
 * @param start ELF virtual address of its first byte
 * @param end the first address after it
 */
public record UnknownCode(long start, long end) {

  /**
   * The part of it around an address, between two functions.
   *
   * @param functionEnd end of the function before the address
   * @param next start of the function after it; a value on the other side of the address, such as
   *     −1 for none, is ignored
   */
  public UnknownCode around(long address, long functionEnd, long next) {
    return new UnknownCode(
        functionEnd > start && functionEnd <= address ? functionEnd : start,
        next > address && next < end ? next : end);
  }
}
