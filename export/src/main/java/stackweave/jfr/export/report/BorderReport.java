package stackweave.jfr.export.report;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import stackweave.jfr.chunk.EventShape;
import stackweave.jfr.event.Session;
import stackweave.jfr.export.stall.Stalls;
import stackweave.jfr.read.ChunkEvents;
import stackweave.jfr.read.RecordingException;

/**
 * What a recording without samples says by its events: timed native calls, loads of libraries, and
 * what kept the JVM waiting. As text of 80 columns or as an HTML page.
 */
public final class BorderReport {
  private final Path file;
  private final List<Section> sections;

  private BorderReport(Path file, List<Section> sections) {
    this.file = file;
    this.sections = sections;
  }

  /**
   * Reads all that a report has without samples.
   *
   * @param why there are no samples, one line
   * @return null if the file has nothing of it
   * @throws RecordingException if the file can't be read any more; one line for users
   */
  public static BorderReport read(Path file, String why) throws IOException, RecordingException {
    List<Section> found = new ArrayList<>(CallReport.sections(file, null));
    if (found.isEmpty() && !hasSession(file)) {
      return null; // a recording of a JVM without the agent
    }
    List<LibraryLoads.Load> loads = LibraryLoads.read(file);
    if (!loads.isEmpty()) {
      found.add(new LoadSections(loads).table(0));
    }
    Stalls stalls = Stalls.ofEvents(file);
    if (!stalls.safepoints().isEmpty() || !stalls.criticalSections().isEmpty()) {
      found.addAll(StallReport.sections(stalls));
    }
    return of(file, why, found);
  }

  private static boolean hasSession(Path file) throws IOException, RecordingException {
    boolean[] has = new boolean[1];
    ChunkEvents.read(
        file, List.of(EventShape.of(Session.NAME, "")), (shape, event) -> has[0] = true);
    return has[0];
  }

  /**
   * Reads the loads of libraries alone.
   *
   * @param why there are no samples, one line
   * @param rows most loads that are shown; 0 for the default
   * @return null if the file has none
   */
  public static BorderReport readLoads(Path file, String why, int rows) throws IOException {
    List<LibraryLoads.Load> loads = LibraryLoads.read(file);
    return of(
        file, why, loads.isEmpty() ? List.of() : List.of(new LoadSections(loads).table(rows)));
  }

  private static BorderReport of(Path file, String why, List<Section> found) {
    if (found.isEmpty()) {
      return null;
    }
    Section without = new Section("No samples");
    without.say(why);
    List<Section> sections = new ArrayList<>(List.of(without));
    sections.addAll(found);
    return new BorderReport(file, sections);
  }

  /**
   * Writes the report.
   *
   * @param out stays open; what was written is flushed
   */
  public void write(boolean html, OutputStream out) throws IOException {
    SectionWriter.write(String.valueOf(file.getFileName()), sections, html, out);
  }
}
