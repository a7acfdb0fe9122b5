package stackweave.live.labels;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import stackweave.lab.recording.PlainDefinitions.Frame;
import stackweave.lab.recording.PlainDefinitions.Method;
import stackweave.lab.recording.PlainRecording;

/**
 * Compares the labels of a recording of {@link LabelledService} with what its stacks show. Read by
 * the JDK's own reader and by docs/events.md: nothing of the product's code has a part in it.
 *
 * @param right samples in a job that have its label
 * @param none samples in a job that have no label
 * @param wrong samples in a job that have another label, or one outside of all jobs
 * @param outside samples outside of all jobs that have no label
 * @param unknown those that the agent says it could not tell
 * @param engine the one that ran last
 * @param wrongOnes what the first wrong ones have and should have
 */
record LabelTally(
    long right,
    long none,
    long wrong,
    long outside,
    long unknown,
    String engine,
    List<String> wrongOnes) {
  private static final String SERVICE = LabelledService.class.getName();
  private static final String OUTSIDE = "outside";
  private static final int MOST_WRONG = 5;

  /** Reads a recording; of threads whose stack is not known well enough it counts nothing. */
  public static LabelTally of(Path recording) throws IOException {
    PlainRecording samples = PlainRecording.of(recording);
    Map<Long, String> contexts = new HashMap<>();
    samples
        .events("stackweave.Context")
        .forEach(
            event -> contexts.put(event.getLong("contextId"), event.getString("labels").strip()));
    long[] counts = new long[4];
    List<String> wrongOnes = new ArrayList<>();
    for (RecordedEvent sample : samples.samples) {
      String truth = truth(samples, sample);
      if (truth.isEmpty()) {
        continue;
      }
      long id = samples.definitions.attributes.get(sample.getLong("attributesId")).contextId();
      String job = id == 0 ? "" : job(contexts.getOrDefault(id, "no such context"));
      boolean isOutside = truth.equals(OUTSIDE);
      int kind = job.isEmpty() ? (isOutside ? 3 : 1) : job.equals(truth) ? 0 : 2;
      counts[kind]++;
      if (kind == 2 && wrongOnes.size() < MOST_WRONG) {
        wrongOnes.add(truth + " has " + contexts.get(id) + " at " + sample.getStartTime());
      }
    }
    return new LabelTally(
        counts[0],
        counts[1],
        counts[2],
        counts[3],
        samples.sum("labelUnknown"),
        samples.engine(),
        List.copyOf(wrongOnes));
  }

  private static String truth(PlainRecording samples, RecordedEvent sample) {
    for (Frame frame : samples.frames(sample)) {
      Method method = samples.definitions.methods.get(frame.methodId());
      if (method.className().equals(SERVICE)
          && (method.name().equals(OUTSIDE) || method.name().startsWith("job"))) {
        return method.name();
      }
    }
    return "";
  }

  private static String job(String labels) {
    for (String label : labels.split(";")) {
      if (label.startsWith("job=")) {
        return label.substring("job=".length());
      }
    }
    return labels;
  }
}
