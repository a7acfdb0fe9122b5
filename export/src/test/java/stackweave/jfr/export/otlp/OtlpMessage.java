package stackweave.jfr.export.otlp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Message;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.profiles.v1development.Function;
import io.opentelemetry.proto.profiles.v1development.KeyValueAndUnit;
import io.opentelemetry.proto.profiles.v1development.Line;
import io.opentelemetry.proto.profiles.v1development.Link;
import io.opentelemetry.proto.profiles.v1development.Location;
import io.opentelemetry.proto.profiles.v1development.Mapping;
import io.opentelemetry.proto.profiles.v1development.Profile;
import io.opentelemetry.proto.profiles.v1development.ProfilesData;
import io.opentelemetry.proto.profiles.v1development.ProfilesDictionary;
import io.opentelemetry.proto.profiles.v1development.ResourceProfiles;
import io.opentelemetry.proto.profiles.v1development.Sample;
import io.opentelemetry.proto.profiles.v1development.Stack;
import io.opentelemetry.proto.profiles.v1development.ValueType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import stackweave.jfr.export.ExportedStacks;

/** Profiles decoded by OpenTelemetry's own classes, held against what its comments demand. */
final class OtlpMessage {
  private final ProfilesData data;
  private final ProfilesDictionary dictionary;

  OtlpMessage(byte[] bytes) throws Exception {
    data = ProfilesData.parseFrom(bytes);
    dictionary = data.getDictionary();
    assertEquals(Mapping.getDefaultInstance(), dictionary.getMappingTable(0));
    assertEquals(Location.getDefaultInstance(), dictionary.getLocationTable(0));
    assertEquals(Function.getDefaultInstance(), dictionary.getFunctionTable(0));
    assertEquals(KeyValueAndUnit.getDefaultInstance(), dictionary.getAttributeTable(0));
    assertEquals(Stack.getDefaultInstance(), dictionary.getStackTable(0));
    assertEquals("", dictionary.getStringTable(0));
    Link none = dictionary.getLinkTable(0);
    assertEquals(16, none.getTraceId().size());
    assertEquals(8, none.getSpanId().size());
    assertEquals(1, dictionary.getLinkTableCount());
    for (List<?> table :
        List.of(
            dictionary.getMappingTableList(),
            dictionary.getLocationTableList(),
            dictionary.getFunctionTableList(),
            dictionary.getAttributeTableList(),
            dictionary.getStackTableList(),
            dictionary.getStringTableList())) {
      assertEquals(table.size(), new HashSet<>(table).size(), "duplicates");
    }
    // Parsing keeps what it does not know; there must be none of it.
    mustBeKnown(data);
  }

  private static void mustBeKnown(Message message) {
    assertTrue(message.getUnknownFields().asMap().isEmpty(), message.getClass().getName());
    for (Object value : message.getAllFields().values()) {
      for (Object each : value instanceof List<?> list ? list : List.of(value)) {
        if (each instanceof Message inner) {
          mustBeKnown(inner);
        }
      }
    }
  }

  ProfilesData data() {
    return data;
  }

  ProfilesDictionary dictionary() {
    return dictionary;
  }

  String string(int index) {
    return dictionary.getStringTable(index);
  }

  /** The stacks of all resources, with the values of the profile of each sort. */
  ExportedStacks stacks() {
    ExportedStacks stacks = new ExportedStacks();
    for (ResourceProfiles resource : data.getResourceProfilesList()) {
      List<Profile> profiles = resource.getScopeProfiles(0).getProfilesList();
      assertEquals(List.of("cpu/nanoseconds", "samples/count"), types(profiles));
      Profile nanos = profiles.get(0);
      Profile counts = profiles.get(1);
      assertEquals(nanos.getSamplesCount(), counts.getSamplesCount());
      HashSet<List<Object>> identities = new HashSet<>();
      for (int i = 0; i < nanos.getSamplesCount(); i++) {
        Sample time = nanos.getSamples(i);
        Sample count = counts.getSamples(i);
        assertEquals(time.getStackIndex(), count.getStackIndex());
        assertEquals(time.getAttributeIndicesList(), count.getAttributeIndicesList());
        assertTrue(
            identities.add(List.of(time.getStackIndex(), time.getAttributeIndicesList())),
            "samples with one identity");
        assertEquals(1, time.getValuesCount());
        assertEquals(0, time.getLinkIndex());
        stacks.add(
            attributes(time.getAttributeIndicesList()).get("thread.name"),
            frames(time.getStackIndex()),
            count.getValues(0),
            time.getValues(0));
      }
    }
    return stacks;
  }

  private List<String> types(List<Profile> profiles) {
    List<String> types = new ArrayList<>();
    for (Profile profile : profiles) {
      ValueType type = profile.getSampleType();
      types.add(string(type.getTypeStrindex()) + "/" + string(type.getUnitStrindex()));
      assertEquals("cpu", string(profile.getPeriodType().getTypeStrindex()));
      assertEquals(16, profile.getProfileId().size());
      assertTrue(profile.getTimeUnixNano() > 0 && profile.getDurationNano() > 0);
    }
    return types;
  }

  private List<String> frames(int stack) {
    List<String> frames = new ArrayList<>();
    for (int location : dictionary.getStackTable(stack).getLocationIndicesList()) {
      for (Line line : dictionary.getLocationTable(location).getLinesList()) {
        frames.add(string(dictionary.getFunctionTable(line.getFunctionIndex()).getNameStrindex()));
      }
    }
    Collections.reverse(frames);
    return frames;
  }

  /** Attributes by their keys, each of which occurs once. */
  Map<String, String> attributes(List<Integer> indices) {
    Map<String, String> attributes = new TreeMap<>();
    for (int index : indices) {
      KeyValueAndUnit attribute = dictionary.getAttributeTable(index);
      AnyValue value = attribute.getValue();
      String text =
          value.hasIntValue() ? Long.toString(value.getIntValue()) : value.getStringValue();
      assertTrue(
          attributes.put(string(attribute.getKeyStrindex()), text) == null, "a key comes twice");
    }
    return attributes;
  }
}
