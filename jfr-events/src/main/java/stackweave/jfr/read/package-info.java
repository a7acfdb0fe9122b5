/**
 * Reads recordings: {@link stackweave.jfr.read.SampledRecording} has sessions and samples, a sample
 * has its frames. For exports and for other programs; docs/reading-results.md has an example.
 */
package stackweave.jfr.read;
