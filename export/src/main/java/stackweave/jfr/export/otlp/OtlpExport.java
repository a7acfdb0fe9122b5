package stackweave.jfr.export.otlp;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;
import stackweave.jfr.export.Export;
import stackweave.jfr.export.ProfileTables;
import stackweave.jfr.export.Protobuf;
import stackweave.jfr.export.Selection;
import stackweave.jfr.export.Texts;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampleSum;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.SessionFacts;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.status.Counter;

/**
 * OpenTelemetry profiles: a message {@code ProfilesData} of opentelemetry-proto {@value #PROTOCOL},
 * package {@code opentelemetry.proto.profiles.v1development}. An {@code
 * ExportProfilesServiceRequest} has the same encoding. Each process is a resource with two
 * profiles: {@code cpu} in {@code nanoseconds}, or {@code wall} if waiting was read, too, and
 * {@code samples} in {@code count}. Samples are sums without timestamps.
 *
 * <p>Libraries have the attribute of their GNU build id; a library that has none is no mapping,
 * since the convention demands one. A context's id and labels are attributes; valid ids of trace
 * and span become a link instead. Holds the sums of samples and the message in memory.
 */
public final class OtlpExport implements Export<SampledRecording> {
  /** The version of opentelemetry-proto. */
  public static final String PROTOCOL = "1.11.0";

  /** The service's name where none is known, as the semantic conventions have it. */
  public static final String UNKNOWN_SERVICE = "unknown_service:java";

  // Fields of ProfilesData.
  private static final int RESOURCE_PROFILES = 1;
  private static final int DICTIONARY = 2;

  private final String service;
  private final Selection selection;

  /**
   * @param service the name of the application, {@code service.name}
   * @param selection which samples are in it
   */
  public OtlpExport(String service, Selection selection) {
    this.service = service;
    this.selection = selection;
  }

  @Override
  public void write(SampledRecording recording, OutputStream out)
      throws IOException, RecordingException {
    message(recording).writeTo(out);
    out.flush();
  }

  /**
   * The message that {@link #write} writes.
   *
   * @throws RecordingException if the recording can't be read any more; one line for users
   */
  public Protobuf message(SampledRecording recording) throws RecordingException {
    Dictionary dictionary = new Dictionary();
    Map<SessionFacts, Map<Key, long[]>> processes = new LinkedHashMap<>();
    selection.forEachSum(
        recording,
        sum -> {
          int stack = dictionary.tables().stack(sum.end(), sum.frames());
          int link = SpanLink.of(sum.context()).map(dictionary::link).orElse(0);
          Key key = new Key(stack, link, attributes(sum, dictionary));
          long[] values =
              processes
                  .computeIfAbsent(sum.session(), session -> new LinkedHashMap<>())
                  .computeIfAbsent(key, k -> new long[2]);
          values[0] += sum.count();
          values[1] += sum.weightNanos();
        });
    Protobuf message = new Protobuf();
    processes.forEach(
        (session, samples) ->
            message.message(RESOURCE_PROFILES, resource(recording, session, samples, dictionary)));
    return message.message(DICTIONARY, dictionary.message());
  }

  /** The identity of a sample, by the convention. */
  private record Key(int stack, int link, List<Integer> attributes) {}

  /** Keys that the agent's own facts use. */
  private static final Set<String> OWN =
      Set.of(
          "thread.name",
          "thread.id",
          "stackweave.thread.os_id",
          "stackweave.thread.state",
          "stackweave.frame.kind",
          "stackweave.guessed",
          "stackweave.context.id");

  private static List<Integer> attributes(SampleSum sum, Dictionary dictionary) {
    List<Integer> attributes = new ArrayList<>();
    BiConsumer<String, Object> add =
        (key, value) -> {
          if (!value.equals("") && !value.equals(0L)) {
            attributes.add(dictionary.attribute(key, value));
          }
        };
    add.accept("thread.name", sum.thread().text());
    // The convention demands the managed id, which threads of the VM and of native code lack.
    add.accept("thread.id", sum.thread().javaId());
    add.accept("stackweave.thread.os_id", sum.thread().osThreadId());
    add.accept("stackweave.thread.state", sum.state());
    add.accept("stackweave.frame.kind", dictionary.tables().kind(sum.frames()));
    add.accept("stackweave.guessed", ProfileTables.guessed(sum.frames()));
    add.accept("stackweave.context.id", sum.contextId());
    boolean isLinked = SpanLink.of(sum.context()).isPresent();
    Map<String, String> labels = isLinked ? sum.context().labels() : sum.context().all();
    labels.forEach(
        (key, value) -> add.accept(OWN.contains(key) ? "stackweave.label." + key : key, value));
    return attributes;
  }

  private Protobuf resource(
      SampledRecording recording,
      SessionFacts session,
      Map<Key, long[]> samples,
      Dictionary dictionary) {
    Protobuf resource = new Protobuf();
    resource.message(1, keyValue("service.name", text(service)));
    resource.message(1, keyValue("service.instance.id", text(session.uuid())));
    if (session.pid() != 0) {
      resource.message(1, keyValue("process.pid", new Protobuf().number(3, session.pid())));
    }
    resource.message(1, keyValue("process.runtime.description", text(session.jdk())));
    resource.message(1, keyValue("stackweave.abi", text(session.abi())));
    Protobuf scope = new Protobuf().string(1, "stackweave").string(2, session.agentVersion());
    scope.message(3, keyValue("stackweave.opentelemetry_proto.version", text(PROTOCOL)));
    Protobuf profiles = new Protobuf().message(1, scope);
    String time = recording.choice().type();
    String unit = recording.choice().unit().label();
    // Viewers show the first profile.
    profiles.message(2, profile(recording, session, time, unit, 1, samples, dictionary));
    profiles.message(2, profile(recording, session, "samples", "count", 0, samples, dictionary));
    return new Protobuf().message(1, resource).message(2, profiles);
  }

  private static Protobuf keyValue(String key, Protobuf value) {
    return new Protobuf().string(1, key).message(2, value);
  }

  private static Protobuf text(String text) {
    return new Protobuf().string(1, ProfileTables.text(text));
  }

  private Protobuf profile(
      SampledRecording recording,
      SessionFacts session,
      String type,
      String unit,
      int value,
      Map<Key, long[]> samples,
      Dictionary dictionary) {
    Protobuf profile = new Protobuf();
    profile.message(1, valueType(type, unit, dictionary));
    samples.forEach(
        (key, values) -> {
          Protobuf sample = new Protobuf();
          sample.number(1, key.stack()).packed(2, key.attributes()).number(3, key.link());
          profile.message(2, sample.packed(4, List.of(values[value])));
        });
    long first = Texts.nanos(selection.first(recording));
    // The convention's interval does not include its end.
    long length =
        1 + Texts.nanos(Duration.between(selection.first(recording), selection.last(recording)));
    profile.fixed64(3, first).number(4, length);
    if (recording.choice().isEvent()) {
      SampleChoice choice = recording.choice();
      profile.message(5, valueType(choice.type(), choice.unit().label(), dictionary));
      profile.number(6, recording.figures().get(Counter.EVENT_INTERVAL));
    } else {
      profile.message(5, valueType("cpu", "nanoseconds", dictionary));
      profile.number(6, recording.figures().get(Counter.INTERVAL));
    }
    profile.bytes(7, id(session.uuid() + "/" + type + "/" + first + "/" + length));
    return profile;
  }

  private static Protobuf valueType(String type, String unit, Dictionary dictionary) {
    return new Protobuf()
        .number(1, dictionary.tables().string(type))
        .number(2, dictionary.tables().string(unit));
  }

  /** An id that is the same in each export of a profile, for receivers to recognise duplicates. */
  private static byte[] id(String what) {
    UUID id = UUID.nameUUIDFromBytes(what.getBytes(StandardCharsets.UTF_8));
    return ByteBuffer.allocate(16)
        .putLong(id.getMostSignificantBits())
        .putLong(id.getLeastSignificantBits())
        .array();
  }
}
