package stackweave.hotspot.replay;

/** Describes the native code of a replay file, beside its unwind rules. */
@FunctionalInterface
public interface ModuleDescriptions {

  /**
   * The module whose executable range holds {@code pc}; only asked for a pc that lies in one.
   *
   * @param pc a runtime address; of a return address the one before it
   */
  ModuleDescription at(long pc);

  /**
   * A module around one pc.
   *
   * @param path of its file
   * @param buildId in hexadecimal, or empty
   * @param start first address of the executable range
   * @param end first address behind it
   * @param symbol the function at the pc as {@code name+0xoffset}, or empty
   */
  record ModuleDescription(String path, String buildId, long start, long end, String symbol) {}
}
