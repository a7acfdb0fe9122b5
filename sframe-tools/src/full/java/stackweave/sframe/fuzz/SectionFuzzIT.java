package stackweave.sframe.fuzz;

import org.junit.jupiter.api.Test;
import stackweave.testing.Jazzer;

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
