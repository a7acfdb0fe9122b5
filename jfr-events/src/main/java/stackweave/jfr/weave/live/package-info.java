/**
 * Weaves the samples of a running JVM, as chunks of their own behind those of JFR. {@link
 * stackweave.jfr.weave.live.LiveWeave} is where it begins; a sample goes by {@code LiveEncoder}
 * into a {@code LivePiece}, which becomes such a chunk.
 */
package stackweave.jfr.weave.live;
