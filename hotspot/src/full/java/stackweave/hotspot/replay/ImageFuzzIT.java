package stackweave.hotspot.replay;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/**
 * More of {@link ImageFuzzTest}'s cases; property {@code fuzz.cases} says how many, and {@code
 * fuzz.first} from which number on. A case that fails is named by its number.
 */
class ImageFuzzIT {
  private static final long FIRST = Long.getLong("fuzz.first", 1 << 20);
  private static final long CASES = Long.getLong("fuzz.cases", 100_000);
  private static final long REPORTED = 100_000;

  /** What may stay in the heap: caches of one unwinder for each recorded sample. */
  private static final long MAX_KEPT = 128 << 20;

  @Test
  void manyLies() throws Exception {
    ImageFuzz fuzz = new ImageFuzz(ImageFuzzTest.CASES, 4);
    long before = usedHeap();
    for (long done = 0; done < CASES; ) {
      fuzz.run(FIRST + done);
      if (++done % REPORTED == 0 || done == CASES) {
        long kept = usedHeap() - before;
        System.out.printf(
            "image fuzz: %,d cases; at most %,d reads and %,d bytes allocated in one; %,d reads to"
                + " open a VM; %,d VMs refused; %,d bytes kept%n",
            done,
            fuzz.mostReads(),
            fuzz.mostAllocated(),
            fuzz.mostOpenReads(),
            fuzz.refused(),
            kept);
        assertTrue(kept < MAX_KEPT, kept + " bytes more in the heap");
      }
    }
  }

  private static long usedHeap() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
