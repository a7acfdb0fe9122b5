package stackweave.lab.zoo.app;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/** Small models in the format of ONNX, written as its onnx.proto says: protobuf's wire format. */
final class OnnxModels {
  private static final int FLOAT = 1;

  private OnnxModels() {}

  /** X[64,256] by two matrices with an activation between. */
  static byte[] matrices() {
    Message graph = new Message();
    graph.message(1, node("MatMul", "a", "X", "W1"));
    graph.message(1, node("Relu", "b", "a"));
    graph.message(1, node("MatMul", "c", "b", "W2"));
    graph.message(1, node("Softmax", "Y", "c"));
    graph.text(2, "matrices");
    graph.message(5, weights("W1", 256, 512));
    graph.message(5, weights("W2", 512, 128));
    graph.message(11, tensor("X", 64, 256));
    graph.message(12, tensor("Y", 64, 128));
    return model(graph);
  }

  /** X[200,200] by itself: kernels that have buffers of more than 64 KiB on the stack. */
  static byte[] square() {
    Message graph = new Message();
    graph.message(1, node("MatMul", "a", "X", "X"));
    graph.message(1, node("Softmax", "Y", "a"));
    graph.text(2, "square");
    graph.message(11, tensor("X", 200, 200));
    graph.message(12, tensor("Y", 200, 200));
    return model(graph);
  }

  /** X[1,8,64,64] through two convolutions. */
  static byte[] convolution() {
    Message graph = new Message();
    graph.message(1, node("Conv", "a", "X", "W1"));
    graph.message(1, node("Relu", "b", "a"));
    graph.message(1, node("Conv", "c", "b", "W2"));
    graph.message(1, node("Sigmoid", "Y", "c"));
    graph.text(2, "convolution");
    graph.message(5, weights("W1", 16, 8, 3, 3));
    graph.message(5, weights("W2", 8, 16, 3, 3));
    graph.message(11, tensor("X", 1, 8, 64, 64));
    graph.message(12, tensor("Y", 1, 8, 60, 60));
    return model(graph);
  }

  /** ModelProto: IR version 8, operators of version 17. */
  private static byte[] model(Message graph) {
    Message operators = new Message();
    operators.number(2, 17);
    Message model = new Message();
    model.number(1, 8);
    model.message(7, graph);
    model.message(8, operators);
    return model.bytes();
  }

  /** NodeProto. */
  private static Message node(String operator, String output, String... inputs) {
    Message node = new Message();
    for (String input : inputs) {
      node.text(1, input);
    }
    node.text(2, output);
    node.text(4, operator);
    return node;
  }

  /** TensorProto with made-up values. */
  private static Message weights(String name, int... dimensions) {
    Message tensor = new Message();
    int count = 1;
    for (int dimension : dimensions) {
      tensor.number(1, dimension);
      count *= dimension;
    }
    tensor.number(2, FLOAT);
    tensor.text(8, name);
    ByteBuffer values = ByteBuffer.allocate(4 * count).order(ByteOrder.LITTLE_ENDIAN);
    Random random = new Random(count);
    while (values.hasRemaining()) {
      values.putFloat(random.nextFloat() / 16 - 1 / 32f);
    }
    tensor.bytes(9, values.array());
    return tensor;
  }

  /** ValueInfoProto with TypeProto.Tensor and TensorShapeProto. */
  private static Message tensor(String name, int... dimensions) {
    Message shape = new Message();
    for (int dimension : dimensions) {
      Message one = new Message();
      one.number(1, dimension);
      shape.message(1, one);
    }
    Message type = new Message();
    type.number(1, FLOAT);
    type.message(2, shape);
    Message any = new Message();
    any.message(1, type);
    Message value = new Message();
    value.text(1, name);
    value.message(2, any);
    return value;
  }

  /** A message of protobuf. */
  private static final class Message {
    private static final int VARINT = 0;
    private static final int LENGTH = 2;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    void number(int field, long value) {
      varint(field << 3 | VARINT);
      varint(value);
    }

    void bytes(int field, byte[] value) {
      varint(field << 3 | LENGTH);
      varint(value.length);
      out.writeBytes(value);
    }

    void text(int field, String value) {
      bytes(field, value.getBytes(StandardCharsets.UTF_8));
    }

    void message(int field, Message value) {
      bytes(field, value.bytes());
    }

    byte[] bytes() {
      return out.toByteArray();
    }

    private void varint(long value) {
      long left = value;
      for (; left >>> 7 != 0; left >>>= 7) {
        out.write((int) (left & 0x7F | 0x80));
      }
      out.write((int) left);
    }
  }
}
