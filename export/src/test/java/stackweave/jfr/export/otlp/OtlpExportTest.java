package stackweave.jfr.export.otlp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.profiles.v1development.Location;
import io.opentelemetry.proto.profiles.v1development.Mapping;
import io.opentelemetry.proto.profiles.v1development.Profile;
import io.opentelemetry.proto.profiles.v1development.ProfilesData;
import io.opentelemetry.proto.profiles.v1development.ResourceProfiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.export.ExportedStacks;
import stackweave.jfr.export.ManyStacks;
import stackweave.jfr.export.Selection;
import stackweave.jfr.export.Texts;
import stackweave.jfr.export.TimedWork;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;

/** OpenTelemetry profiles, read by OpenTelemetry's own classes. */
class OtlpExportTest {
  @TempDir private Path directory;

  @Test
  void hasTheStacksOfTheCollapsedFormat() throws Exception {
    for (SampledRecording recording :
        List.of(
            ManyStacks.all(directory),
            ManyStacks.one(directory),
            ManyStacks.twoProcesses(Files.createDirectory(directory.resolve("two"))))) {
      decoded(recording).stacks().assertAreThoseOf(recording, Selection.ALL);
    }
  }

  @Test
  void isTheSameEachTime() throws Exception {
    SampledRecording recording = ManyStacks.all(directory);
    assertArrayEquals(bytes(recording), bytes(recording));
  }

  /** The version that it says is that of the classes that read it here. */
  @Test
  void saysItsVersion() throws Exception {
    String jar = ProfilesData.class.getProtectionDomain().getCodeSource().getLocation().getPath();
    assertTrue(jar.endsWith("/opentelemetry-proto-" + OtlpExport.PROTOCOL + "-alpha.jar"), jar);
    ResourceProfiles resource = decoded(ManyStacks.all(directory)).data().getResourceProfiles(0);
    KeyValue version = resource.getScopeProfiles(0).getScope().getAttributes(0);
    assertEquals("stackweave.opentelemetry_proto.version", version.getKey());
    assertEquals(OtlpExport.PROTOCOL, version.getValue().getStringValue());
  }

  @Test
  void saysWhenAndHowOftenItWasSampled() throws Exception {
    SampledRecording recording = TimedWork.recordThinned(directory.resolve("thinned.jfr"));
    Profile profile =
        decoded(recording).data().getResourceProfiles(0).getScopeProfiles(0).getProfiles(0);
    assertEquals(Texts.nanos(recording.first()), profile.getTimeUnixNano());
    assertEquals(3_000, profile.getDurationNano() / 1e6, 2);
    assertEquals(10_000_000, profile.getPeriod());
    assertEquals(
        List.of(60_000_000L),
        profile.getSamplesList().stream().map(sample -> sample.getValues(0)).toList());
  }

  @Test
  void hasAttributes() throws Exception {
    SampledRecording recording =
        ManyStacks.twoProcesses(Files.createDirectory(directory.resolve("two")));
    OtlpMessage message = decoded(recording);
    assertEquals(2, message.data().getResourceProfilesCount());
    Map<String, String> resource = new TreeMap<>();
    for (KeyValue attribute :
        message.data().getResourceProfiles(0).getResource().getAttributesList()) {
      resource.put(
          attribute.getKey(),
          attribute.getValue().hasIntValue()
              ? Long.toString(attribute.getValue().getIntValue())
              : attribute.getValue().getStringValue());
    }
    assertEquals("orders", resource.get("service.name"));
    assertEquals(Long.toString(ProcessHandle.current().pid()), resource.get("process.pid"));
    // The recording's own text: JDK 17 may have lost it, see Unpooled.
    assertEquals(recording.sessions().get(0).jdk(), resource.get("process.runtime.description"));

    Map<String, Set<String>> values = new TreeMap<>();
    message
        .data()
        .getResourceProfiles(0)
        .getScopeProfiles(0)
        .getProfiles(0)
        .getSamplesList()
        .forEach(
            sample ->
                message
                    .attributes(sample.getAttributeIndicesList())
                    .forEach(
                        (key, value) ->
                            values.computeIfAbsent(key, k -> new TreeSet<>()).add(value)));
    assertEquals(Set.of("1", "2", "3", "44"), values.get("thread.id"));
    assertEquals(Set.of("10", "11", "12", "13", "14"), values.get("stackweave.thread.os_id"));
    assertEquals(Set.of("on CPU", "waiting"), values.get("stackweave.thread.state"));
    assertEquals(
        Set.of("-1", Long.toString(0x1234_5678_9abcL)), values.get("stackweave.context.id"));
    assertTrue(values.get("stackweave.frame.kind").contains("kernel"), values.toString());

    Set<String> types = new TreeSet<>();
    for (Location location : message.dictionary().getLocationTableList()) {
      types.add(
          message
              .attributes(location.getAttributeIndicesList())
              .getOrDefault("profile.frame.type", "none"));
    }
    assertEquals(Set.of("jvm", "kernel", "native", "none"), types);
  }

  /** A mapping must have a build id. */
  @Test
  void librariesHaveTheirBuildIds() throws Exception {
    OtlpMessage message =
        decoded(
            ManyStacks.record(
                directory.resolve("libraries.jfr"),
                store -> {
                  frame(store, "/nothing-known.so", "");
                  frame(store, "/lib/known.so?\0", "0123abcd");
                }));
    Map<String, Map<String, String>> mappings = new TreeMap<>();
    for (Mapping mapping : message.dictionary().getMappingTableList()) {
      mappings.put(
          message.string(mapping.getFilenameStrindex()),
          message.attributes(mapping.getAttributeIndicesList()));
    }
    String gnu = "process.executable.build_id.gnu";
    assertEquals(Map.of("", Map.of(), "/lib/known.so? ", Map.of(gnu, "0123abcd")), mappings);
    for (Location location : message.dictionary().getLocationTableList()) {
      assertEquals(location.getMappingIndex() > 0 ? 0x1234 + 7 : 0, location.getAddress());
    }
  }

  private static void frame(EventStore store, String path, String buildId) {
    long module = ManyStacks.module(store, path, buildId);
    long method = store.method(MethodDefinition.symbol(module, "f", 0x1234));
    long node = store.node(EventStore.ROOT, method, ManyStacks.NATIVE, -1, 7);
    ManyStacks.sample(store, store.thread(1, "main", 1, false, 0, null), 0, 1, node, 0, 0);
  }

  private static OtlpMessage decoded(SampledRecording recording) throws Exception {
    return new OtlpMessage(bytes(recording));
  }

  private static byte[] bytes(SampledRecording recording) throws Exception {
    return ExportedStacks.bytes(new OtlpExport("orders", Selection.ALL), recording);
  }
}
