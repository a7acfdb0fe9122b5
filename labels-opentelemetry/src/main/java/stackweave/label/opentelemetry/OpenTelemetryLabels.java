package stackweave.label.opentelemetry;

import io.opentelemetry.context.ContextStorage;
import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizer;
import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizerProvider;

/**
 * Labels each thread's samples with the span that is current on it. OpenTelemetry's Java agent, or
 * its autoconfiguration, finds it as a service; an application that sets up OpenTelemetry itself
 * calls {@link #install} before it uses it. Thread-safe; nothing here throws.
 */
public final class OpenTelemetryLabels implements AutoConfigurationCustomizerProvider {
  private static boolean isInstalled;

  /** For OpenTelemetry, which makes one as a service. */
  public OpenTelemetryLabels() {}

  @Override
  public void customize(AutoConfigurationCustomizer configuration) {
    install();
  }

  /** Wraps the storage of contexts, once. Without effect if a context was used before. */
  public static synchronized void install() {
    if (!isInstalled) {
      isInstalled = true;
      ContextStorage.addWrapper(LabellingStorage::new);
    }
  }
}
