package stackweave.lab.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import stackweave.lab.chaos.antagonist.Antagonist;
import stackweave.lab.chaos.antagonist.Antagonists;
import stackweave.lab.chaos.work.Board;
import stackweave.lab.chaos.work.Tally;
import stackweave.lab.chaos.work.Tasks;
import stackweave.lab.chaos.work.Time;

/**
 * Main class of the forked JVM. {@code ChaosJvm RESULTS}: writes the results of the load to a file.
 * {@code ChaosJvm RESULTS ANTAGONIST+ANTAGONIST… SECONDS CYCLES ENGINE INTERVAL}: runs the
 * antagonists beside the load, in the current directory.
 *
 * <p>Ends with {@link #WRONG} and a line on stderr if a result is not the expected one.
 */
public final class ChaosJvm {
  /** The exit code for a wrong result. */
  static final int WRONG = 3;

  static final String BOARD = "board";

  /** The last argument of a JVM whose antagonists wait for the end of its standard input. */
  static final String WAIT = "wait";

  private ChaosJvm() {}

  public static void main(String[] args) throws Exception {
    Path results = Path.of(args[0]);
    if (args.length == 1) {
      List<String> lines = new ArrayList<>();
      new Load().results().forEach((name, result) -> lines.add(name + "=" + result));
      Files.write(results, lines);
      return;
    }
    Path here = Path.of("").toAbsolutePath();
    Board board = Board.open(here.resolve(BOARD));
    Load load = new Load();
    load.start(expected(results), board);
    Map<String, Antagonist> mix = Antagonists.mix(args[1]);
    String engine = args[4];
    if (!engine.isEmpty() && mix.values().stream().noneMatch(Antagonist::records)) {
      Tasks.awaitSampling();
    }
    if (args.length > 6 && args[6].equals(WAIT)) {
      System.in.readAllBytes();
    }
    long end = System.nanoTime() + (long) (Double.parseDouble(args[2]) * 1e9);
    Time time = new Time(end, Integer.parseInt(args[3]), engine, args[5], here);
    Throwable failure = run(mix, load, time, board);
    if (failure != null) {
      failure.printStackTrace();
      Runtime.getRuntime().halt(WRONG); // a worker may be waiting forever
    }
  }

  private static Map<String, Long> expected(Path results) throws IOException {
    Map<String, Long> expected = new LinkedHashMap<>();
    for (String line : Files.readAllLines(results)) {
      int equals = line.indexOf('=');
      expected.put(line.substring(0, equals), Long.parseLong(line.substring(equals + 1)));
    }
    return expected;
  }

  /** What went wrong, or null. */
  private static Throwable run(Map<String, Antagonist> mix, Load load, Time time, Board board)
      throws InterruptedException {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    board.set(Board.STAGE, Board.WORKING);
    List<Thread> threads = new ArrayList<>();
    int place = 0;
    for (Map.Entry<String, Antagonist> entry : mix.entrySet()) {
      Tally tally = board.tally(place++);
      Thread thread =
          new Thread(
              () -> {
                try {
                  entry.getValue().run(time, tally);
                  tally.done();
                } catch (Throwable e) {
                  failure.compareAndSet(null, e);
                }
              },
              "antagonist-" + entry.getKey());
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      while (thread.isAlive() && failure.get() == null && load.failure() == null) {
        thread.join(100);
      }
    }
    board.set(Board.STAGE, Board.ENDING);
    if (failure.get() != null || load.failure() != null) {
      return failure.get() != null ? failure.get() : load.failure();
    }
    return load.stop();
  }
}
