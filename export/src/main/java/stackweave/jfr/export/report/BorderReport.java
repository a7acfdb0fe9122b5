package stackweave.jfr.export.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import stackweave.jfr.chunk.EventShape;
import stackweave.jfr.event.Session;
import stackweave.jfr.export.Export;
import stackweave.jfr.export.stall.Stalls;
import stackweave.jfr.read.ChunkEvents;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;

/**
 * A report on a recording without samples, by its events: timed native calls, loads of libraries,
 * and what kept the JVM waiting. As text of 80 columns or as an HTML page. Stateless.
 */
public final class BorderReport {
  private BorderReport() {}

  /**
   * Reads all that such a report has.
   *
   * @param why there are no samples, one line
   * @param html whether it is a page
   * @return null if the file has no such events
   * @throws RecordingException if the file can't be read any more; one line for users
   */
  public static Export<SampledRecording> read(Path file, String why, boolean html)
      throws IOException, RecordingException {
    List<ReportSection> found = new ArrayList<>(CallReport.sections(file, null));
    if (found.isEmpty() && !hasSession(file)) {
      return null; // a recording of a JVM without the agent
    }
    List<RecordedLoads.Load> loads = RecordedLoads.read(file);
    if (!loads.isEmpty()) {
      found.add(new LoadSections(loads).table(0));
    }
    Stalls stalls = Stalls.ofEvents(file);
    if (!stalls.safepoints().isEmpty() || !stalls.criticalSections().isEmpty()) {
      found.addAll(StallReport.sections(stalls));
    }
    return of(file, why, html, found);
  }

  private static boolean hasSession(Path file) throws IOException, RecordingException {
    boolean[] has = new boolean[1];
    ChunkEvents.read(
        file, List.of(EventShape.of(Session.NAME, "")), (shape, event) -> has[0] = true);
    return has[0];
  }

  /**
   * Reads only the loads of libraries.
   *
   * @param why there are no samples, one line
   * @param rows most loads that are shown; 0 for the default
   * @param html whether it is a page
   * @return null if the file has none
   */
  public static Export<SampledRecording> readLoads(Path file, String why, boolean html, int rows)
      throws IOException, RecordingException {
    List<RecordedLoads.Load> loads = RecordedLoads.read(file);
    return of(
        file,
        why,
        html,
        loads.isEmpty() ? List.of() : List.of(new LoadSections(loads).table(rows)));
  }

  private static Export<SampledRecording> of(
      Path file, String why, boolean html, List<ReportSection> found) {
    if (found.isEmpty()) {
      return null;
    }
    ReportSection without = new ReportSection("No samples");
    without.say(why);
    List<ReportSection> sections = new ArrayList<>(List.of(without));
    sections.addAll(found);
    return (none, out) ->
        SectionWriter.write(String.valueOf(file.getFileName()), sections, html, out);
  }
}
