/**
 * Exports of recordings, each an {@link stackweave.jfr.export.Export}: collapsed stacks, a flame
 * graph (package {@code flamegraph}), tables, and files for pprof, speedscope and the Firefox
 * Profiler. Package {@code symbols} adds names from debug files while a recording is read.
 */
package stackweave.jfr.export;
