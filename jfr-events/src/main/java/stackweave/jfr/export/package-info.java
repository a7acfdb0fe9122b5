/**
 * Exports of recordings, each an {@link stackweave.jfr.export.Export}: collapsed stacks, a flame
 * graph, tables.
 */
package stackweave.jfr.export;
