package stackweave.agent;

import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import stackweave.agent.feature.Feature;
import stackweave.agent.feature.FeatureRefusedException;
import stackweave.agent.feature.call.CallsFeature;
import stackweave.agent.feature.label.LabelsFeature;
import stackweave.agent.feature.load.LoadsFeature;
import stackweave.agent.feature.memory.AllocationFeature;
import stackweave.agent.feature.memory.MemoryFeature;
import stackweave.agent.feature.waiting.WaitingFeature;
import stackweave.agent.feature.weave.WeaveFeature;
import stackweave.agent.message.Messages;
import stackweave.agent.option.Options;
import stackweave.jfr.control.SampledFeature;

/**
 * Makes the list of what is recorded beside samples of CPU time; the features work in its order.
 * Called when sampling first begins, because premain must not load the features' classes.
 */
final class FeatureList implements Supplier<List<Feature>> {
  private final Options options;
  private final Instrumentation instrumentation;
  private final Messages messages;
  private final CallsFeature calls;
  private LoadsFeature loads;

  /**
   * @param calls null if no native methods are timed
   */
  FeatureList(
      Options options, Instrumentation instrumentation, Messages messages, CallsFeature calls) {
    this.options = options;
    this.instrumentation = instrumentation;
    this.messages = messages;
    this.calls = calls;
  }

  @Override
  public List<Feature> get() {
    List<Feature> all = new ArrayList<>();
    if (options.mayInstrument()) {
      all.add(loads());
    }
    if (options.weave()) {
      all.add(new WeaveFeature(instrumentation, messages));
    }
    all.add(new LabelsFeature(instrumentation, messages));
    all.addAll(ofAnyProcess(options));
    if (calls != null) {
      all.add(calls);
    }
    return all;
  }

  /**
   * What can be recorded of another process, too, since it needs nothing in that process: all that
   * a recording asks for as a {@link SampledFeature}. Labels, loads and calls need the agent
   * inside.
   */
  static List<Feature> ofAnyProcess(Options options) {
    List<Feature> all = new ArrayList<>();
    all.add(new MemoryFeature(options.perfMemoryBytes(), options.memory()));
    all.add(new AllocationFeature());
    for (SampledFeature kind : List.of(SampledFeature.BLOCKED, SampledFeature.WAITING)) {
      all.add(new WaitingFeature(kind, options.wallThreads(), options.drainPercent()));
    }
    return all;
  }

  /** Observes loads of libraries from now on, not only while samples are taken. */
  void observeLoadsEarly() {
    try {
      if (options.mayInstrument()) {
        loads().beginEarly();
      }
    } catch (FeatureRefusedException e) {
      messages.sampling(e.getMessage());
    }
  }

  private LoadsFeature loads() {
    if (loads == null) {
      loads = new LoadsFeature(instrumentation);
    }
    return loads;
  }
}
