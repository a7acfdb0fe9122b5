/**
 * Reads recordings back: {@link stackweave.jfr.read.SampledRecording} has sessions and samples, a
 * sample has frames, with all that the recording says of them. For exports, and for other people's
 * programs; docs/reading.md has an example.
 */
package stackweave.jfr.read;
