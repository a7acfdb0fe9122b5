package stackweave.agent.linux;

import java.nio.file.Path;
import java.util.function.LongSupplier;

/** Readers of the own memory that another file stands in for /proc/self/mem. */
public final class LostMemory {
  private LostMemory() {}

  /** By that file alone, which needn't be there. */
  public static SelfMemory by(Path file, LongSupplier nanoTime) {
    return new SelfMemory(SelfMemory.Way.PROC_SELF_MEM, file.toString(), nanoTime);
  }
}
