package stackweave.jfr.export.otlp;

import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;
import stackweave.jfr.export.Protobuf;
import stackweave.jfr.read.context.SampledContext;

/**
 * The {@code Link} from a sample to the span that it was taken in. Immutable.
 *
 * @param traceId 32 hexadecimal digits
 * @param spanId 16 of them
 */
record SpanLink(String traceId, String spanId) {
  private static final Pattern TRACE = Pattern.compile("[0-9a-fA-F]{32}");
  private static final Pattern SPAN = Pattern.compile("[0-9a-fA-F]{16}");

  /** The link of a context; empty unless it has both ids, as W3C Trace Context has them. */
  static Optional<SpanLink> of(SampledContext context) {
    return TRACE.matcher(context.traceId()).matches() && SPAN.matcher(context.spanId()).matches()
        ? Optional.of(new SpanLink(context.traceId(), context.spanId()))
        : Optional.empty();
  }

  Protobuf message() {
    HexFormat hex = HexFormat.of();
    return new Protobuf().bytes(1, hex.parseHex(traceId)).bytes(2, hex.parseHex(spanId));
  }
}
