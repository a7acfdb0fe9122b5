package stackweave.jfr.export.flamegraph;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import stackweave.jfr.export.FrameCategory;
import stackweave.jfr.export.Json;
import stackweave.jfr.export.Names;
import stackweave.jfr.export.RecordingFacts;
import stackweave.jfr.export.TextExport;
import stackweave.jfr.export.Texts;
import stackweave.jfr.read.Profile;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.read.choice.WeightUnit;
import stackweave.jfr.status.Counter;

/**
 * A flame graph as one self-contained HTML page: its content security policy forbids any network
 * access. Widths are samples, or the time that they stand for. A recording that was opened with
 * {@link SampledRecording#openTimed} has a strip over time.
 */
public final class FlameGraphExport extends TextExport<Profile> {
  private final String title;
  private final boolean threads;
  private List<Profile> more = List.of();
  private String beforeTitle = "";

  /** The profile that it is compared with; null for none. */
  private Profile before;

  /**
   * @param title the page's title, such as the recording's file name
   * @param threads whether each stack begins with its thread
   */
  public FlameGraphExport(String title, boolean threads) {
    this.title = title;
    this.threads = threads;
  }

  /** Adds more profiles to the graph. */
  public FlameGraphExport with(List<? extends Profile> others) {
    more = List.copyOf(others);
    return this;
  }

  /**
   * Makes it show the difference to another profile.
   *
   * @param otherTitle the name of the other
   */
  public FlameGraphExport comparedWith(String otherTitle, Profile other) {
    beforeTitle = otherTitle;
    before = other;
    return this;
  }

  @Override
  public void writeText(Profile profile, Appendable out) throws IOException {
    FlameTree tree = new FlameTree(threads, before != null, profile.choice().isByWeight());
    List<Profile> all = new ArrayList<>();
    all.add(profile);
    all.addAll(more);
    all.forEach(each -> tree.add(each, false));
    if (before != null) {
      tree.add(before, true);
    }
    tree.prune(FlameTree.MAX_NODES);
    String name = before == null ? title : title + " compared with " + beforeTitle;
    FlamePage.write(
        Names.html(name) + " – Stackweave flame graph",
        data -> writeData(name, all, tree, new Json(data)),
        out);
  }

  private void writeData(String name, List<Profile> profiles, FlameTree tree, Json json)
      throws IOException {
    FlameData data = new FlameData(tree, profiles.get(0).choice().unit() == WeightUnit.NANOSECONDS);
    boolean thinned = before != null && before.figures().get(Counter.THINNED) > 0;
    for (Profile profile : profiles) {
      thinned |= profile.figures().get(Counter.THINNED) > 0;
    }
    SampleChoice choice = profiles.get(0).choice();
    json.beginObject();
    json.field("title", name);
    json.field("timeLabel", choice.time());
    json.field("wall", choice.isByWeight() ? 1 : 0);
    // Weights count if samples also stand for skipped ones, or for times of any length.
    json.field("byTime", thinned || choice.isByWeight() ? 1 : 0);
    json.field("unit", choice.unit().label());
    json.field("before", before == null ? "" : beforeTitle);
    json.field("facts", profiles.size() == 1 ? RecordingFacts.of(profiles.get(0)) : sums(profiles));
    json.field("notes", notes(profiles, tree));
    json.name("kinds").beginArray();
    for (FrameCategory category : FrameCategory.values()) {
      json.beginObject();
      json.field("label", category.label());
      json.field("about", category.about());
      json.field("color", category.color()).endObject();
    }
    json.endArray();
    json.field("byThread", threads);
    json.field("leftOut", tree.leftOut);
    json.field("cells", data.cells);
    json.field("cellMillis", data.cellNanos / 1e6);
    json.field("startMillis", data.startNanos / 1_000_000);
    json.field("data", data.base64());
    json.endObject();
  }

  private static List<List<String>> sums(List<Profile> profiles) {
    long samples = 0;
    long weight = 0;
    for (Profile profile : profiles) {
      samples += profile.samples();
      weight += profile.weightNanos();
    }
    return List.of(
        List.of("Recordings", Integer.toString(profiles.size())),
        List.of("Samples", Texts.count(samples)),
        List.of(
            RecordingFacts.label(profiles.get(0)), profiles.get(0).choice().unit().text(weight)));
  }

  private List<String> notes(List<Profile> profiles, FlameTree tree) {
    List<String> notes = new ArrayList<>();
    for (int i = 0; i < profiles.size(); i++) {
      for (String note : RecordingFacts.notes(profiles.get(i))) {
        String of = profiles.size() > 1 ? "Recording " + (i + 1) : before == null ? "" : title;
        notes.add(of.isEmpty() ? note : of + ": " + note);
      }
    }
    if (before != null) {
      RecordingFacts.notes(before).forEach(note -> notes.add(beforeTitle + ": " + note));
    }
    if (tree.leftOut > 0) {
      notes.add(
          Texts.of(
              "%,d frames of at most %.2g %% of %s samples each are summed up.",
              tree.leftOut,
              100 * tree.largestLeftOut,
              before == null ? "the" : "each recording's"));
    }
    return notes;
  }
}
