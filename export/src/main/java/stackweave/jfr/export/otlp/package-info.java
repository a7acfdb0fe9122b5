/** Profiles of OpenTelemetry: the message, and sending it to a collector. */
package stackweave.jfr.export.otlp;
