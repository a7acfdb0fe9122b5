package stackweave.benchmarks.cases;

import java.io.IOException;
import java.util.Random;
import java.util.zip.Deflater;
import stackweave.lab.phases.PhaseRun;

/**
 * The program that {@link RecordCases} samples: the phases of the matrix, and beside them a thread
 * that is about sixty frames deep: {@code CaseProgram SECONDS [PHASE,PHASE…]}, seconds of each
 * phase.
 */
public final class CaseProgram {
  private static final int DEPTH = 46;

  private final Deflater deflater = new Deflater(9);
  private final byte[] noise = new byte[64 * 1024];
  private final byte[] out = new byte[128 * 1024];

  private CaseProgram() {
    new Random(7).nextBytes(noise);
  }

  public static void main(String[] arguments) throws IOException, InterruptedException {
    Thread deep =
        new Thread(
            () -> {
              CaseProgram program = new CaseProgram();
              while (true) {
                program.recurse(DEPTH);
              }
            },
            "deep");
    deep.setDaemon(true);
    deep.start();
    PhaseRun.main(arguments);
  }

  private int recurse(int left) {
    if (left > 0) {
      return recurse(left - 1) + 1;
    }
    deflater.reset();
    deflater.setInput(noise);
    deflater.finish();
    return deflater.deflate(out);
  }
}
