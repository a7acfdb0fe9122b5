package stackweave.fleet.answer;

import java.time.Instant;
import java.util.List;
import stackweave.jfr.read.Profile;
import stackweave.jfr.read.SampleSum;
import stackweave.jfr.read.SessionFacts;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.status.SamplerFigures;

/**
 * Samples of the tables. Immutable.
 *
 * @param choice which sort of samples
 * @param sessions a JVM each
 * @param first begin of the first minute with samples
 * @param last end of the last one
 * @param figures of the recordings that the samples are of
 * @param losses what is missing, one line each
 * @param sums all chosen samples, summed by stack
 */
record TableProfile(
    SampleChoice choice,
    List<SessionFacts> sessions,
    Instant first,
    Instant last,
    SamplerFigures figures,
    List<String> losses,
    List<SampleSum> sums)
    implements Profile {
  @Override
  public long samples() {
    return sums.stream().mapToLong(SampleSum::count).sum();
  }

  @Override
  public long weightNanos() {
    return sums.stream().mapToLong(SampleSum::weightNanos).sum();
  }

  @Override
  public void forEachStackSum(StackSumVisitor visitor) {
    sums.forEach(sum -> visitor.stack(sum, null));
  }
}
