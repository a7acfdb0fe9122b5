package stackweave.lab.zoo.app;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.Map;
import stackweave.samples.work.Round;

/** An inference runtime with kernels in assembly, in the calling thread alone. */
final class InferenceRound implements Round {
  private final byte[] model;
  private final long[] shape;
  private OrtSession session;
  private OnnxTensor input;

  InferenceRound(byte[] model, long... shape) {
    this.model = model;
    this.shape = shape;
  }

  @Override
  public long run() {
    try {
      if (session == null) {
        OrtEnvironment environment = OrtEnvironment.getEnvironment();
        OrtSession.SessionOptions options = new OrtSession.SessionOptions();
        options.setIntraOpNumThreads(1);
        options.setInterOpNumThreads(1);
        session = environment.createSession(model, options);
        float[] values = new float[(int) Arrays.stream(shape).reduce(1, (a, b) -> a * b)];
        for (int i = 0; i < values.length; i++) {
          values[i] = i % 17 / 17f;
        }
        input = OnnxTensor.createTensor(environment, FloatBuffer.wrap(values), shape);
      }
      long sum = 0;
      for (int i = 0; i < 10; i++) {
        try (OrtSession.Result result = session.run(Map.of("X", input))) {
          sum += result.size();
        }
      }
      return sum;
    } catch (OrtException e) {
      throw new IllegalStateException(e);
    }
  }
}
