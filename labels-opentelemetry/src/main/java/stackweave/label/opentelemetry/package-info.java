/** Trace and span of OpenTelemetry as labels of samples. */
package stackweave.label.opentelemetry;
