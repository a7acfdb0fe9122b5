/**
 * The bytes of woven samples: JFR's encodings, its types as a chunk's metadata lay them out, frames
 * as its tools expect them, and the keys of constants. A sample goes by {@link
 * stackweave.jfr.weave.format.SampleEncoder} into a {@link stackweave.jfr.weave.format.WovenChunk}.
 */
package stackweave.jfr.weave.format;
