package stackweave.hotspot;

import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.vmstructs.JdkVersion;

/**
 * The processors for which HotSpot's frames are known. The only class that names the packages of
 * the processors: their classes have the same names in each.
 */
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
      case "linux-amd64" -> new stackweave.hotspot.cpu.x86.HotSpotConventions();
      case "linux-aarch64" ->
          new stackweave.hotspot.cpu.aarch64.HotSpotConventions(version.keepsSenderSpInX19());
      default -> null;
    };
  }
}
