package stackweave.fleet;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;
import static java.util.stream.Collectors.toSet;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import stackweave.fleet.SyntheticFleet.Frame;
import stackweave.fleet.SyntheticFleet.Sample;
import stackweave.jfr.export.report.Shares;

/**
 * What the views must say of a {@link SyntheticFleet}, computed from its rows by loops. Each answer
 * has the numbers of a view's row by the texts that tell it from the others, with a bar between.
 */
final class ExpectedAnswers {
  private final SyntheticFleet fleet;
  private final List<Sample> cpu;

  ExpectedAnswers(SyntheticFleet fleet) {
    this.fleet = fleet;
    this.cpu = fleet.samples.stream().filter(sample -> sample.event().equals("cpu")).toList();
  }

  private static String key(Object... parts) {
    return String.join("|", Stream.of(parts).map(String::valueOf).toList());
  }

  private static String day(Sample sample) {
    return key(sample.service(), SyntheticFleet.FIRST_DATE.plusDays(sample.day()));
  }

  private static double sum(Collection<Sample> samples) {
    return samples.stream().mapToDouble(Sample::weight).sum();
  }

  private static double sum(Collection<Sample> samples, Predicate<Sample> predicate) {
    return sum(samples.stream().filter(predicate).toList());
  }

  private static Map<String, List<Sample>> by(
      Collection<Sample> samples, Function<Sample, String> key) {
    return samples.stream().collect(groupingBy(key, TreeMap::new, toList()));
  }

  private Set<String> functions(Sample sample) {
    List<Frame> frames = fleet.stacks.get(sample.stack());
    return frames.isEmpty()
        ? Set.of("[no frames]")
        : frames.stream().map(Frame::name).collect(toSet());
  }

  private String leaf(Sample sample) {
    List<Frame> frames = fleet.stacks.get(sample.stack());
    return frames.isEmpty() ? "[no frames]" : frames.get(frames.size() - 1).name();
  }

  private static String library(Frame frame) {
    return key(frame.library(), frame.buildId() == null ? "" : frame.buildId());
  }

  private Set<String> libraries(Sample sample) {
    Set<String> libraries = new LinkedHashSet<>();
    for (Frame frame : fleet.stacks.get(sample.stack())) {
      if (frame.library() != null) {
        libraries.add(library(frame));
      }
    }
    return libraries;
  }

  /** Of the innermost frame; null if it is in none. */
  private Frame leafInLibrary(Sample sample) {
    List<Frame> frames = fleet.stacks.get(sample.stack());
    Frame leaf = frames.isEmpty() ? null : frames.get(frames.size() - 1);
    return leaf == null || leaf.library() == null ? null : leaf;
  }

  /** Shares of the day's CPU time: self and total. */
  Map<String, double[]> hottestFunctions() {
    Map<String, double[]> answer = new TreeMap<>();
    by(cpu, ExpectedAnswers::day)
        .forEach(
            (day, samples) -> {
              for (String function : fleet.functions()) {
                double total = sum(samples, s -> functions(s).contains(function));
                double self = sum(samples, s -> leaf(s).equals(function));
                if (total > 0) {
                  answer.put(
                      key(day, function), new double[] {self / sum(samples), total / sum(samples)});
                }
              }
            });
    return answer;
  }

  /** Shares of the day's CPU time, self and total, and hosts. */
  Map<String, double[]> libraries() {
    Map<String, double[]> answer = new TreeMap<>();
    by(cpu, ExpectedAnswers::day)
        .forEach(
            (day, samples) -> {
              Set<String> all = new TreeSet<>();
              samples.forEach(sample -> all.addAll(libraries(sample)));
              for (String library : all) {
                List<Sample> own =
                    samples.stream().filter(s -> libraries(s).contains(library)).toList();
                double self =
                    sum(
                        own,
                        s -> leafInLibrary(s) != null && library(leafInLibrary(s)).equals(library));
                answer.put(
                    key(day, library),
                    new double[] {
                      self / sum(samples),
                      sum(own) / sum(samples),
                      own.stream().map(Sample::host).distinct().count()
                    });
              }
            });
    return answer;
  }

  /** Total shares before and after, the interval of their difference, and whether it is sure. */
  Map<String, double[]> regressions() {
    Map<String, double[]> answer = new TreeMap<>();
    addPair(answer, SyntheticFleet.ORDERS, "2.3.0", "2.3.1");
    addPair(answer, SyntheticFleet.NUMBER, "9", "10");
    return answer;
  }

  private void addPair(Map<String, double[]> answer, String service, String before, String after) {
    List<Sample> old = version(service, before);
    List<Sample> young = version(service, after);
    for (String function : fleet.functions()) {
      double shareBefore = sum(old, s -> functions(s).contains(function)) / sum(old);
      double shareAfter = sum(young, s -> functions(s).contains(function)) / sum(young);
      var interval = Shares.ofDifference(shareAfter, worth(young), shareBefore, worth(old));
      boolean isSure = Shares.differ(shareAfter, worth(young), shareBefore, worth(old));
      answer.put(
          key(service, before, after, function),
          new double[] {shareBefore, shareAfter, interval.low(), interval.high(), isSure ? 1 : 0});
    }
  }

  private List<Sample> version(String service, String version) {
    return cpu.stream()
        .filter(s -> s.service().equals(service) && version.equals(s.version()))
        .toList();
  }

  private static double worth(Collection<Sample> samples) {
    double squares = samples.stream().mapToDouble(Sample::squares).sum();
    return sum(samples) * sum(samples) / squares;
  }

  /** Share, difference from the mean of the other hosts, and the same in units of the expected. */
  Map<String, double[]> hostsThatDiffer() {
    Map<String, double[]> answer = new TreeMap<>();
    by(cpu, s -> key(s.service(), s.version() == null ? "" : s.version()))
        .forEach(
            (version, samples) -> {
              Map<String, List<Sample>> hosts = by(samples, Sample::host);
              for (String library : List.of("libz.so", "libcrypto.so")) {
                Map<String, Double> shares = new TreeMap<>();
                hosts.forEach(
                    (host, own) ->
                        shares.put(
                            host,
                            sum(
                                    own,
                                    s ->
                                        leafInLibrary(s) != null
                                            && leafInLibrary(s).library().equals(library))
                                / sum(own)));
                hosts.forEach(
                    (host, own) ->
                        answer.put(
                            key(version, host, library), difference(host, worth(own), shares)));
              }
            });
    return answer;
  }

  private static double[] difference(String host, double worth, Map<String, Double> shares) {
    List<Double> others = new ArrayList<>();
    shares.forEach(
        (other, share) -> {
          if (!other.equals(host)) {
            others.add(share);
          }
        });
    double mean = mean(others);
    double spread =
        others.stream().mapToDouble(share -> Math.pow(share - mean, 2)).sum() / (others.size() - 1);
    double all = mean(shares.values());
    double expected = Math.max(spread, all * (1 - all) / worth) * (1 + 1.0 / others.size());
    double difference = shares.get(host) - mean;
    return new double[] {shares.get(host), difference, difference / Math.sqrt(expected)};
  }

  private static double mean(Collection<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
  }

  /** The slope of the share by day, and its standard error. */
  Map<String, double[]> growth() {
    Map<String, double[]> answer = new TreeMap<>();
    Map<String, double[]> days = hottestFunctions();
    for (String service : SyntheticFleet.SERVICES) {
      for (String function : fleet.functions()) {
        double[] shares = new double[SyntheticFleet.DAYS];
        for (int day = 0; day < shares.length; day++) {
          String key = key(service, SyntheticFleet.FIRST_DATE.plusDays(day), function);
          shares[day] = days.getOrDefault(key, new double[2])[1];
        }
        answer.put(key(service, function), line(shares));
      }
    }
    return answer;
  }

  private static double[] line(double[] values) {
    double middle = (values.length - 1) / 2.0;
    double mean = mean(Arrays.stream(values).boxed().toList());
    double products = 0;
    double spread = 0;
    for (int x = 0; x < values.length; x++) {
      products += (x - middle) * values[x];
      spread += (x - middle) * (x - middle);
    }
    double slope = products / spread;
    double errors = 0;
    for (int x = 0; x < values.length; x++) {
      errors += Math.pow(values[x] - mean - slope * (x - middle), 2);
    }
    return new double[] {slope, Math.sqrt(errors / (values.length - 2) / spread)};
  }

  /** The unnamed part of a library's own CPU time, and hosts. */
  Map<String, double[]> missingSymbols() {
    Map<String, double[]> answer = new TreeMap<>();
    by(
            cpu.stream().filter(s -> leafInLibrary(s) != null).toList(),
            s -> key(day(s), library(leafInLibrary(s))))
        .forEach(
            (library, samples) -> {
              double unnamed = sum(samples, s -> leaf(s).contains("+0x"));
              if (unnamed > 0) {
                answer.put(
                    library,
                    new double[] {
                      unnamed / sum(samples), samples.stream().map(Sample::host).distinct().count()
                    });
              }
            });
    return answer;
  }

  /** Shares of waiting time. */
  Map<String, double[]> waiting() {
    List<Sample> waiting = fleet.samples.stream().filter(s -> s.event().equals("waiting")).toList();
    Map<String, double[]> answer = new TreeMap<>();
    by(waiting, ExpectedAnswers::day)
        .forEach(
            (day, samples) ->
                by(samples, Sample::state)
                    .forEach(
                        (state, own) ->
                            answer.put(key(day, state), new double[] {sum(own) / sum(samples)})));
    return answer;
  }

  /** Cores that were busy, and processes. */
  Map<String, double[]> coresByMinute() {
    Map<String, double[]> answer = new TreeMap<>();
    by(cpu, s -> key(s.service(), s.host(), s.minute().getEpochSecond()))
        .forEach((minute, own) -> answer.put(minute, new double[] {sum(own) / 60e9, 1}));
    return answer;
  }

  /** Shares of whole stacks, by their text. */
  Map<String, double[]> topStacks() {
    Map<String, double[]> answer = new TreeMap<>();
    by(cpu, ExpectedAnswers::day)
        .forEach(
            (day, samples) ->
                by(samples, this::stack)
                    .forEach(
                        (stack, own) ->
                            answer.put(key(day, stack), new double[] {sum(own) / sum(samples)})));
    return answer;
  }

  private String stack(Sample sample) {
    List<String> texts = fleet.stacks.get(sample.stack()).stream().map(Frame::name).toList();
    return texts.isEmpty() ? "[no frames]" : String.join(";", texts);
  }

  /** Page faults, self and total. */
  Map<String, double[]> eventsByFunction() {
    List<Sample> events =
        fleet.samples.stream().filter(s -> s.event().equals("page-faults")).toList();
    Map<String, double[]> answer = new TreeMap<>();
    by(events, ExpectedAnswers::day)
        .forEach(
            (day, samples) -> {
              for (String function : fleet.functions()) {
                double total = sum(samples, s -> functions(s).contains(function));
                if (total > 0) {
                  answer.put(
                      key(day, function),
                      new double[] {sum(samples, s -> leaf(s).equals(function)), total});
                }
              }
            });
    return answer;
  }

  /** Shares of the CPU time that was used. */
  Map<String, double[]> coverage() {
    Map<String, Double> seconds = new TreeMap<>();
    for (Sample sample : cpu) {
      List<Frame> frames = fleet.stacks.get(sample.stack());
      String root =
          sample.isComplete() || frames.isEmpty() || frames.get(0).library() == null
              ? ""
              : frames.get(0).library();
      String what = sample.isComplete() ? "complete stack" : sample.endReason();
      seconds.merge(key(day(sample), what, root), (double) sample.weight(), Double::sum);
      seconds.merge(
          key(day(sample), "no sample", ""),
          sample.weight() * SyntheticFleet.unsampled(sample.host()),
          Double::sum);
    }
    Map<String, Double> used = new HashMap<>();
    BiFunction<String, Integer, String> first =
        (text, parts) -> String.join("|", List.of(text.split("[|]", -1)).subList(0, parts));
    seconds.forEach((key, value) -> used.merge(first.apply(key, 2), value, Double::sum));
    Map<String, double[]> answer = new TreeMap<>();
    seconds.forEach(
        (key, value) -> answer.put(key, new double[] {value / used.get(first.apply(key, 2))}));
    return answer;
  }
}
