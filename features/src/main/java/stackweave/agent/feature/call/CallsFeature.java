package stackweave.agent.feature.call;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import stackweave.agent.feature.Feature;
import stackweave.agent.feature.FeatureContext;
import stackweave.agent.feature.FeatureSession;
import stackweave.agent.message.Messages;
import stackweave.agent.message.Notes;
import stackweave.jfr.call.CallPatterns;
import stackweave.jfr.call.NativeCall;
import stackweave.jfr.call.TimedMethods;
import stackweave.jfr.control.CallListener;
import stackweave.jfr.control.CallRequest;

/**
 * The timing of native calls that the option {@code calls} names: {@code stackweave.NativeCall}.
 * Made in premain, before the first of their classes is loaded; recordings switch it on and off.
 * The application's threads do the work; the drain thread only reports notes. Thread-safe.
 */
public final class CallsFeature implements CallListener, Feature, AutoCloseable {
  /** Most classes that one message names. */
  private static final int MAX_NAMES = 5;

  /** Agent classes that the application's class loader loads. */
  private static final String OWN_CLASSES = "stackweave.agent.";

  private final CallTransformer transformer;
  private final WrappedMethods methods;
  private final UnmatchedPatterns unmatched;

  /** The filters of the recordings; null while none asks for calls. */
  private volatile UnmatchedPatterns filters;

  private volatile CallRequest last;

  /** Whether JFR calls the hook of the counts after the store's. For the drain thread. */
  private boolean areCountsLast;

  private CallsFeature(
      CallPatterns candidates, CallTransformer transformer, WrappedMethods methods) {
    this.transformer = transformer;
    this.methods = methods;
    this.unmatched = new UnmatchedPatterns("calls", List.of(candidates), methods);
  }

  /**
   * Wraps native methods of classes that are loaded from now on.
   *
   * @param patterns as {@link CallPatterns#SYNTAX} says
   * @param attached whether the agent was attached to a running JVM, in which nothing is wrapped
   * @return null if nothing is wrapped; a message says why
   */
  public static CallsFeature install(
      String patterns, boolean attached, Instrumentation instrumentation, Messages messages) {
    CallPatterns candidates = CallPatterns.parse(patterns);
    String loaded = loaded(candidates, instrumentation);
    if (attached) {
      messages.setting(
          "calls: native methods are wrapped while their classes are loaded, which needs -javaagent:"
              + " this agent was attached, so none is timed"
              + (loaded.isEmpty() ? "" : "; loaded already: " + loaded));
      return null;
    }
    if (!loaded.isEmpty()) {
      messages.setting(
          "calls: these classes were loaded before the agent, or are the JDK's: their native methods"
              + " are not timed: "
              + loaded);
    }
    if (!instrumentation.isNativeMethodPrefixSupported()) {
      messages.setting("calls: this JVM does not wrap native methods: none is timed");
      return null;
    }
    try {
      WrappedMethods methods = new WrappedMethods(CallSwitch.define(instrumentation));
      CallTransformer transformer = new CallTransformer(candidates, methods);
      instrumentation.addTransformer(transformer, false);
      instrumentation.setNativeMethodPrefix(transformer, TimedMethods.PREFIX);
      return new CallsFeature(candidates, transformer, methods);
    } catch (ReflectiveOperationException | IOException | RuntimeException | LinkageError e) {
      messages.setting("calls: native methods can't be wrapped, and none is timed (" + e + ")");
      return null;
    }
  }

  /** The application's classes first, because wide patterns match hundreds of the JDK's. */
  private static String loaded(CallPatterns candidates, Instrumentation instrumentation) {
    TreeSet<String> own = new TreeSet<>();
    TreeSet<String> ofJdk = new TreeSet<>();
    for (Class<?> type : instrumentation.getAllLoadedClasses()) {
      boolean isAgents =
          type.getClassLoader() == CallsFeature.class.getClassLoader()
              || type.getName().startsWith(OWN_CLASSES);
      if (!isAgents
          && !type.isHidden()
          && !type.isArray()
          && !type.isPrimitive()
          && candidates.matchesClass(type.getName())) {
        boolean isOfJdk =
            CallTransformer.isOfJdk(type.getClassLoader(), type.getProtectionDomain());
        (isOfJdk ? ofJdk : own).add(type.getName());
      }
    }
    List<String> all = new ArrayList<>(own);
    all.addAll(ofJdk);
    List<String> first = all.subList(0, Math.min(MAX_NAMES, all.size()));
    int more = all.size() - first.size();
    return String.join(", ", first) + (more == 0 ? "" : " and " + more + " more");
  }

  @Override
  public void onCalls(CallRequest request) {
    if (request == null) {
      filters = null;
      last = null;
      methods.timeNothing();
    } else {
      if (!request.equals(last)) {
        last = request;
        filters = new UnmatchedPatterns(NativeCall.NAME + "#filter", narrow(request), methods);
      }
      methods.time(request);
    }
  }

  /** The filters that exclude something; a recording without a filter asks for all methods. */
  private static List<CallPatterns> narrow(CallRequest request) {
    List<CallPatterns> narrow = new ArrayList<>(request.filters());
    narrow.removeIf(filter -> filter.toString().equals(CallPatterns.ALL));
    return narrow;
  }

  @Override
  public boolean hasNotes() {
    return transformer.hasNotes();
  }

  @Override
  public List<String> takeNotes() {
    return transformer.takeNotes();
  }

  @Override
  public String failure() {
    return "calls";
  }

  @Override
  public FeatureSession open(FeatureContext context) {
    // The store has registered its hooks with JFR by now, and the counts' hook must come last.
    if (!areCountsLast) {
      areCountsLast = true;
      methods.events().writeLast();
    }
    return new Session();
  }

  private final class Session implements FeatureSession {
    private String note = "";

    /** Reports at the end of a chunk; earlier, classes that are not loaded yet would be missed. */
    @Override
    public void flush() {
      UnmatchedPatterns asked = filters;
      note = asked == null ? "" : new Notes().add(unmatched.note()).add(asked.note()).toString();
    }

    @Override
    public String note() {
      return note;
    }
  }

  /** Stops timing; the wrappers stay, and read one field. */
  @Override
  public void close() {
    transformer.close();
    methods.timeNothing();
    methods.events().close();
  }
}
