/**
 * The bytes of woven samples: JFR's encodings, its types as a chunk's metadata lay them out, frames
 * as its tools expect them, and the keys of constants. Used by the weaving of finished recordings
 * and by that of running ones.
 */
package stackweave.jfr.weave.format;
