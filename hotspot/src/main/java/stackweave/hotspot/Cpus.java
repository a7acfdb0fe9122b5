package stackweave.hotspot;

import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.cpu.aarch64.Aarch64;
import stackweave.hotspot.cpu.x86.X86;
import stackweave.hotspot.vmstructs.JdkVersion;
import stackweave.unwind.Architecture;

/** The processors for which HotSpot's frames are known. */
final class Cpus {
  /** The platforms known here, as a VM names them. */
  static final String PLATFORMS = "linux-amd64 and linux-aarch64";

  private Cpus() {}

  /**
   * That of a platform as a VM names it, such as "linux-amd64".
   *
   * @return null if HotSpot's frames are not known there
   */
  static Cpu of(String platform, JdkVersion version) {
    return switch (platform) {
      case "linux-amd64" -> new X86();
      case "linux-aarch64" -> new Aarch64(version.keepsSenderSpInX19());
      default -> null;
    };
  }

  /** That of {@code architecture}, as far as native code matters; or null if it is not known. */
  static Cpu of(Architecture architecture) {
    return switch (architecture) {
      case X86_64 -> new X86();
      case AARCH64 -> new Aarch64(false);
      case S390X -> null;
    };
  }
}
