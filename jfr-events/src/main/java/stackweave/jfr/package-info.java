/**
 * Recordings: what is written into them and what is read out of them.
 *
 * <ul>
 *   <li>{@code event}: the events, which are the format.
 *   <li>{@code control}: whether a running recording asks for samples, and for which.
 *   <li>{@code status}: figures of how sampling went, for writer, reader and {@code status}.
 *   <li>{@code store}: writes; interns stacks, so that every chunk holds its definitions.
 *   <li>{@code read}: reads; the model of a recording, for exports and other programs.
 *   <li>{@code export}: collapsed stacks, a flame graph, tables.
 *   <li>{@code table}: the hash tables of store, read and export.
 * </ul>
 */
package stackweave.jfr;
