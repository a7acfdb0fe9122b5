package stackweave.unwind.cfi;

import org.junit.jupiter.api.Test;
import stackweave.testing.Jazzer;
import stackweave.unwind.sframe.SFrameFuzz;

/** As {@link FuzzTest}, with sections that Jazzer makes up, led by coverage. */
class SectionFuzzIT {
  @Test
  void sframeSections() throws Exception {
    Jazzer.run(SFrameFuzz.class, FuzzTest.MAX_BYTES, FuzzTest.SFRAME);
  }

  @Test
  void callFrameSections() throws Exception {
    Jazzer.run(CallFrameFuzz.class, FuzzTest.MAX_BYTES, FuzzTest.CALL_FRAME);
  }
}
