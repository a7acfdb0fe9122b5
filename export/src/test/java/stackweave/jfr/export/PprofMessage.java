package stackweave.jfr.export;

import static com.google.protobuf.DescriptorProtos.FieldDescriptorProto.Label.LABEL_OPTIONAL;
import static com.google.protobuf.DescriptorProtos.FieldDescriptorProto.Label.LABEL_REPEATED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto.Type;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.zip.GZIPInputStream;

/**
 * A message of pprof's profile.proto, decoded by the library of protocol buffers. Fields as in
 * github.com/google/pprof/blob/main/proto/profile.proto; what it does not know fails.
 */
final class PprofMessage {
  private static final Descriptor PROFILE = descriptor();

  private final DynamicMessage profile;
  private final List<String> strings = new ArrayList<>();
  private final Map<Long, DynamicMessage> mappings = new HashMap<>();
  private final Map<Long, DynamicMessage> locations = new HashMap<>();
  private final Map<Long, DynamicMessage> functions = new HashMap<>();

  PprofMessage(byte[] zipped) throws Exception {
    profile =
        DynamicMessage.parseFrom(
            PROFILE, new GZIPInputStream(new ByteArrayInputStream(zipped)).readAllBytes());
    for (Object text : (List<?>) get(profile, "string_table")) {
      strings.add((String) text);
    }
    assertEquals("", strings.get(0));
    index("mapping", mappings);
    index("location", locations);
    index("function", functions);
    assertTrue(profile.getUnknownFields().asMap().isEmpty());
  }

  private void index(String field, Map<Long, DynamicMessage> byId) {
    for (DynamicMessage entry : messages(profile, field)) {
      assertTrue(entry.getUnknownFields().asMap().isEmpty());
      long id = number(entry, "id");
      assertTrue(id > 0 && byId.put(id, entry) == null, field + " " + id);
    }
  }

  /** All stacks; also checks what each refers to. */
  ExportedStacks stacks() {
    ExportedStacks stacks = new ExportedStacks();
    for (DynamicMessage sample : messages(profile, "sample")) {
      List<String> frames = new ArrayList<>();
      for (Object id : (List<?>) get(sample, "location_id")) {
        DynamicMessage location = locations.get(id);
        long mapping = number(location, "mapping_id");
        assertTrue(mapping == 0 || mappings.containsKey(mapping));
        for (DynamicMessage line : messages(location, "line")) {
          frames.add(text(functions.get(number(line, "function_id")), "name"));
        }
      }
      Collections.reverse(frames);
      List<?> values = (List<?>) get(sample, "value");
      assertEquals(2, values.size());
      stacks.add(labels(sample).get("thread"), frames, (Long) values.get(0), (Long) values.get(1));
    }
    return stacks;
  }

  Map<String, String> labels(DynamicMessage sample) {
    Map<String, String> labels = new HashMap<>();
    messages(sample, "label").forEach(l -> labels.put(text(l, "key"), text(l, "str")));
    return labels;
  }

  DynamicMessage message() {
    return profile;
  }

  Iterable<DynamicMessage> mappings() {
    return mappings.values();
  }

  String text(DynamicMessage message, String field) {
    return strings.get((int) number(message, field));
  }

  static long number(DynamicMessage message, String field) {
    Object value = get(message, field);
    return value instanceof Boolean truth ? (truth ? 1 : 0) : (Long) value;
  }

  static List<DynamicMessage> messages(DynamicMessage message, String field) {
    List<DynamicMessage> messages = new ArrayList<>();
    ((List<?>) get(message, field)).forEach(m -> messages.add((DynamicMessage) m));
    return messages;
  }

  static Object get(DynamicMessage message, String field) {
    FieldDescriptor descriptor = message.getDescriptorForType().findFieldByName(field);
    return message.getField(descriptor);
  }

  private static Descriptor descriptor() {
    FileDescriptorProto file =
        FileDescriptorProto.newBuilder()
            .setName("profile.proto")
            .setPackage("perftools.profiles")
            .setSyntax("proto3")
            .addMessageType(
                message(
                    "Profile",
                    "1*ValueType sample_type",
                    "2*Sample sample",
                    "3*Mapping mapping",
                    "4*Location location",
                    "5*Function function",
                    "6*string string_table",
                    "7 int64 drop_frames",
                    "8 int64 keep_frames",
                    "9 int64 time_nanos",
                    "10 int64 duration_nanos",
                    "11 ValueType period_type",
                    "12 int64 period",
                    "13*int64 comment",
                    "14 int64 default_sample_type",
                    "15 int64 doc_url"))
            .addMessageType(message("ValueType", "1 int64 type", "2 int64 unit"))
            .addMessageType(
                message("Sample", "1*uint64 location_id", "2*int64 value", "3*Label label"))
            .addMessageType(
                message("Label", "1 int64 key", "2 int64 str", "3 int64 num", "4 int64 num_unit"))
            .addMessageType(
                message(
                    "Mapping",
                    "1 uint64 id",
                    "2 uint64 memory_start",
                    "3 uint64 memory_limit",
                    "4 uint64 file_offset",
                    "5 int64 filename",
                    "6 int64 build_id",
                    "7 bool has_functions",
                    "8 bool has_filenames",
                    "9 bool has_line_numbers",
                    "10 bool has_inline_frames"))
            .addMessageType(
                message(
                    "Location",
                    "1 uint64 id",
                    "2 uint64 mapping_id",
                    "3 uint64 address",
                    "4*Line line",
                    "5 bool is_folded"))
            .addMessageType(
                message("Line", "1 uint64 function_id", "2 int64 line", "3 int64 column"))
            .addMessageType(
                message(
                    "Function",
                    "1 uint64 id",
                    "2 int64 name",
                    "3 int64 system_name",
                    "4 int64 filename",
                    "5 int64 start_line"))
            .build();
    try {
      return FileDescriptor.buildFrom(file, new FileDescriptor[0]).findMessageTypeByName("Profile");
    } catch (DescriptorValidationException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * @param fields number, * if it is repeated, type and name
   */
  private static DescriptorProto message(String name, String... fields) {
    DescriptorProto.Builder message = DescriptorProto.newBuilder().setName(name);
    for (String field : fields) {
      String[] parts = field.split("[* ]");
      FieldDescriptorProto.Builder builder =
          FieldDescriptorProto.newBuilder()
              .setNumber(Integer.parseInt(parts[0]))
              .setName(parts[2])
              .setLabel(field.contains("*") ? LABEL_REPEATED : LABEL_OPTIONAL);
      if (Character.isUpperCase(parts[1].charAt(0))) {
        builder.setType(Type.TYPE_MESSAGE).setTypeName(parts[1]);
      } else {
        builder.setType(Type.valueOf("TYPE_" + parts[1].toUpperCase(Locale.ROOT)));
      }
      message.addField(builder);
    }
    return message.build();
  }
}
