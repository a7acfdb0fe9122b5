package stackweave.jfr.store.output;

import jdk.jfr.Event;
import jdk.jfr.EventType;
import stackweave.jfr.event.NativeSample;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.event.SamplerStatus;
import stackweave.jfr.event.StackEvent;
import stackweave.jfr.event.StackSample;

/** Commits events to the recordings of this JVM. For the drain thread. */
public final class JfrOutput implements EventOutput {
  private final EventType samples = EventType.getEventType(NativeSample.class);

  /** Indexed by the ordinal of the sample's kind. */
  private final EventType[] types = new EventType[SampleRecord.Kind.values().length];

  private final SampleClock clock = new SampleClock();

  public JfrOutput() {
    for (SampleRecord.Kind kind : SampleRecord.Kind.values()) {
      types[kind.ordinal()] = EventType.getEventType(StoreEvents.of(kind));
    }
  }

  @Override
  public boolean isRecorded() {
    return samples.isEnabled();
  }

  @Override
  public boolean isRecorded(SampleRecord.Kind kind) {
    return types[kind.ordinal()].isEnabled();
  }

  @Override
  public boolean isStatusRecorded() {
    return new SamplerStatus().isEnabled();
  }

  @Override
  public boolean knowsTime(long timeNanos) {
    clock.refresh(timeNanos);
    return clock.isCalibrated();
  }

  @Override
  public long stamp(StackEvent event, SampleRecord sample) {
    return clock.stamp(event, sample);
  }

  @Override
  public long ticks(StackSample event) {
    return clock.ticks(event);
  }

  @Override
  public void commit(Event event) {
    event.commit();
  }
}
