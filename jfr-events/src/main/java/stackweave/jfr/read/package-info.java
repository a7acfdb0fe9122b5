/**
 * Reads recordings: {@link stackweave.jfr.read.SampledRecording} has sessions and samples, a sample
 * has its frames. For exports and for other programs; docs/reading-results.md has an example.
 *
 * <p>In this package, those below it and {@code stackweave.jfr.status} times are {@link
 * java.time.Instant}, or since 1970 in ns where they are numbers; durations are in ns, memory is in
 * bytes. What a recording does not say is an empty text or 0, and null only where that is said; no
 * argument may be null. What is wrong with a file is a {@link
 * stackweave.jfr.read.RecordingException}, or a line of {@link stackweave.jfr.read.Profile#losses}.
 * Enums and records are immutable, methods without an object have no state; all else belongs to one
 * thread at a time unless it says otherwise.
 */
package stackweave.jfr.read;
