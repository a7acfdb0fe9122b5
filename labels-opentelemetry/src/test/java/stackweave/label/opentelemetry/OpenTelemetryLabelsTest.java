package stackweave.label.opentelemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import stackweave.label.StackweaveContext;

/**
 * Which scopes are opened and closed for OpenTelemetry's contexts; in place of the agent is a list.
 */
class OpenTelemetryLabelsTest {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String SPAN = "b7ad6b7169203331";

  @Test
  @SuppressWarnings("try") // javac: the scopes are never referenced
  void eachCurrentContextIsAScope() throws ReflectiveOperationException {
    List<String> calls = new ArrayList<>();
    Function<String[], Runnable> agent =
        labels -> {
          String text = String.join(",", labels);
          calls.add("open " + text);
          return () -> calls.add("close " + text);
        };
    Field field = StackweaveContext.class.getDeclaredField("agent");
    field.setAccessible(true);
    field.set(null, agent);
    OpenTelemetryLabels.install();
    OpenTelemetryLabels.install();
    Span span =
        Span.wrap(
            SpanContext.create(TRACE, SPAN, TraceFlags.getSampled(), TraceState.getDefault()));
    try (Scope scope = span.makeCurrent()) {
      try (Scope root = Context.root().makeCurrent()) {
        assertEquals(Context.root(), Context.current());
      }
      assertEquals(span, Span.current());
    }
    String spanLabels = " trace_id," + TRACE + ",span_id," + SPAN;
    String noLabels = " trace_id,,span_id,";
    assertEquals(
        List.of("open" + spanLabels, "open" + noLabels, "close" + noLabels, "close" + spanLabels),
        calls);
  }
}
