package stackweave.sframe.writer;

import org.junit.jupiter.api.Test;

/** As {@link ReadelfRowsTest}, of the C library. */
class CLibraryRowsIT {
  @Test
  void everyRowIsTheSame() throws Exception {
    new ReadelfRowsTest().everyRowIsTheSame("/lib/x86_64-linux-gnu/libc.so.6");
  }

  @Test
  void anIndexBuiltWithoutHdrFindsTheSame() throws Exception {
    new ReadelfRowsTest().anIndexBuiltWithoutHdrFindsTheSame("/lib/x86_64-linux-gnu/libc.so.6");
  }
}
