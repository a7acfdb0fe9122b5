package stackweave.agent.drain;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import stackweave.agent.attach.RecordName;
import stackweave.agent.attach.Serving;
import stackweave.agent.attach.StatusBoard;
import stackweave.agent.attach.SwitchPlaces;
import stackweave.agent.attach.Version;
import stackweave.agent.drain.status.StatusReport;
import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.status.SamplerFigures;

/**
 * Publishes in the agent properties, where the command line reads them, the agent's status and how
 * far each recording of the command record is. Thread-safe; takes no lock except the board's.
 */
final class StatusPublisher implements Runnable {
  private final StatusBoard board;
  private final String switchFile;
  private final Supplier<SamplerFigures> latest;
  private final BooleanSupplier hasStarted;

  /** Why sampling for a request has not begun; empty if none waits. */
  private volatile String waiting = "";

  /** The request being served; null if none. */
  private volatile SamplingRequest served;

  /** The running recordings of the command record by name, with the figures at their start. */
  private final Map<String, SamplerFigures> records = new ConcurrentHashMap<>();

  /**
   * @param switchFile the option's, or empty
   * @param latest the latest figures; null before the first request
   * @param hasStarted whether samples are taken, or the reason is known why not
   */
  StatusPublisher(
      StatusBoard board,
      String switchFile,
      Supplier<SamplerFigures> latest,
      BooleanSupplier hasStarted) {
    this.board = board;
    this.switchFile = switchFile;
    this.latest = latest;
    this.hasStarted = hasStarted;
  }

  /**
   * Shows why sampling has not begun: memory that it needs is not free.
   *
   * @param whyNot in one line; empty if nothing waits
   */
  void waitsFor(String whyNot) {
    if (!waiting.equals(whyNot)) {
      waiting = whyNot;
      run();
    }
  }

  /** Sets the request being served; null for none. */
  void serves(SamplingRequest request) {
    served = request;
  }

  /** Records the begin of recordings of the command record. */
  void beginRecords(SamplingRequest request) {
    if (request == null) {
      return;
    }
    SamplerFigures now = latest.get();
    for (String name : request.recordings()) {
      if (RecordName.isRecord(name)) {
        records.putIfAbsent(name, now == null ? SamplerFigures.NONE : now);
      }
    }
  }

  /**
   * Publishes the summary of the recordings that are no more in this request. At their end the
   * drain thread has published its figures.
   */
  void endRecords(SamplingRequest request) {
    for (Map.Entry<String, SamplerFigures> each : records.entrySet()) {
      String name = each.getKey();
      if (request == null || !request.recordings().contains(name)) {
        records.remove(name);
        SamplerFigures now = latest.get();
        String report =
            now == null ? "" : String.join("\n", StatusReport.lines(now.since(each.getValue())));
        board.serve(name, new Serving(Serving.Stage.ENDED, report));
      }
    }
  }

  /** Publishes the present status. */
  @Override
  public void run() {
    board.show(Version.current(), report());
    Serving.Stage stage =
        hasStarted.getAsBoolean() ? Serving.Stage.SAMPLING : Serving.Stage.PREPARING;
    for (String name : records.keySet()) {
      board.serve(name, new Serving(stage, ""));
    }
  }

  /** The status, one topic a line; up to a second old. */
  String report() {
    List<String> lines = new ArrayList<>();
    SamplerFigures now = latest.get();
    lines.add("state: " + state(now));
    if (!switchFile.isEmpty()) {
      lines.add(SwitchPlaces.STATUS + switchFile);
    }
    if (now != null) {
      lines.addAll(StatusReport.lines(now));
    }
    return String.join("\n", lines);
  }

  private String state(SamplerFigures now) {
    SamplingRequest request = served;
    if (request == null) {
      return waiting.isEmpty()
          ? "dormant, for no recording asks for samples"
          : "waiting for room, not sampling: " + waiting;
    }
    String names = String.join(", ", request.recordings());
    if (now != null && !now.engine().isEmpty()) {
      return "sampling for recording " + names;
    }
    boolean isOff = now != null && now.note().contains(SwitchPlaces.SWITCHED_OFF);
    return (isOff ? "switched off, " : "") + "asked for samples by recording " + names;
  }
}
