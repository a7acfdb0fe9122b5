package stackweave.lab.overhead.app;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * A service whose requests pass through four stages with queues between them, each worked off by a
 * quarter of the threads: one makes them, one takes them apart, one compresses them, and one checks
 * the result. A unit is a hundred requests.
 */
public final class QueuesApplication implements Application {
  private static final int REQUESTS = 100;
  private static final int STAGES = 4;
  private static final byte[] END = {};

  private final List<BlockingQueue<byte[]>> queues =
      List.of(
          new ArrayBlockingQueue<>(64), new ArrayBlockingQueue<>(64), new ArrayBlockingQueue<>(64));

  @Override
  public int threads(int wanted) {
    return wanted == 0 ? 64 : (wanted + STAGES - 1) / STAGES * STAGES;
  }

  @Override
  public void work(int worker, Units units) throws InterruptedException {
    int stage = worker % STAGES;
    if (stage == 0) {
      make(new Random(worker), units);
    } else {
      workOff(stage);
    }
    if (stage < STAGES - 1) {
      queues.get(stage).put(END); // each thread of a stage ends one of the next
    }
  }

  private void make(Random random, Units units) throws InterruptedException {
    while (units.next()) {
      for (int i = 0; i < REQUESTS; i++) {
        StringBuilder text = new StringBuilder();
        for (int field = 0; field < 24; field++) {
          text.append("field").append(field).append('=').append(random.nextInt(10_000)).append('&');
        }
        queues.get(0).put(text.toString().getBytes(StandardCharsets.US_ASCII));
      }
    }
  }

  private void workOff(int stage) throws InterruptedException {
    Deflater deflater = new Deflater(Deflater.BEST_SPEED);
    CRC32 sum = new CRC32();
    for (byte[] one = queues.get(stage - 1).take();
        one != END;
        one = queues.get(stage - 1).take()) {
      switch (stage) {
        case 1 -> queues.get(1).put(takeApart(one));
        case 2 -> queues.get(2).put(compress(deflater, one));
        default -> sum.update(one);
      }
    }
    deflater.end();
  }

  private static byte[] takeApart(byte[] request) {
    StringBuilder values = new StringBuilder();
    for (String field : new String(request, StandardCharsets.US_ASCII).split("&")) {
      values.append(field, field.indexOf('=') + 1, field.length()).append('\n');
    }
    return values.toString().getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] compress(Deflater deflater, byte[] text) {
    byte[] packed = new byte[text.length + 64];
    deflater.reset();
    deflater.setInput(text);
    deflater.finish();
    deflater.deflate(packed);
    return packed;
  }
}
