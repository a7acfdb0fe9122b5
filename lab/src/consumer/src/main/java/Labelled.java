import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Scope;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.zip.CRC32;
import stackweave.label.StackweaveContext;
import stackweave.label.opentelemetry.OpenTelemetryLabels;

/** Takes seconds of CPU time in a span and a scope: {@code Labelled SECONDS TRACE ENDPOINT}. */
public class Labelled {
  public static void main(String[] args) {
    OpenTelemetryLabels.install();
    SpanContext span =
        SpanContext.create(
            args[1], "00f067aa0ba902b7", TraceFlags.getSampled(), TraceState.getDefault());
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long end = Long.parseLong(args[0]) * 1_000_000_000L;
    CRC32 sum = new CRC32();
    while (threads.getCurrentThreadCpuTime() < end) { // sampling begins while it runs
      try (Scope scope = Span.wrap(span).makeCurrent();
          StackweaveContext context = StackweaveContext.open("endpoint", args[2])) {
        for (int i = 0; i < 2_000; i++) {
          sum.update(new byte[65536]);
        }
      }
    }
    System.out.println(sum.getValue());
  }
}
