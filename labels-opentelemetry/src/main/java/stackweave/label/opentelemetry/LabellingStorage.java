package stackweave.label.opentelemetry;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextStorage;
import io.opentelemetry.context.Scope;
import stackweave.label.StackweaveContext;

/**
 * Opens and closes a scope of labels with each context that becomes current. A context without a
 * span hides the ids of the one around it. As thread-safe as the storage that it wraps.
 */
final class LabellingStorage implements ContextStorage {
  private static final String[] NO_SPAN = {"trace_id", "", "span_id", ""};

  private final ContextStorage storage;

  LabellingStorage(ContextStorage storage) {
    this.storage = storage;
  }

  @Override
  public Scope attach(Context context) {
    Scope scope = storage.attach(context);
    if (context == null) {
      return scope; // a null context changes nothing
    }
    SpanContext span = Span.fromContext(context).getSpanContext();
    StackweaveContext labels =
        span.isValid()
            ? StackweaveContext.open(
                StackweaveContext.TRACE_ID,
                span.getTraceId(),
                StackweaveContext.SPAN_ID,
                span.getSpanId())
            : StackweaveContext.open(NO_SPAN);
    return () -> {
      labels.close();
      scope.close();
    };
  }

  @Override
  public Context current() {
    return storage.current();
  }

  @Override
  public Context root() {
    return storage.root();
  }
}
