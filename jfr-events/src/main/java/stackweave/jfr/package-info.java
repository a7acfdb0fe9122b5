/**
 * Recordings: {@code event} has the events, which are the format; {@code control} finds which
 * recordings request samples; {@code status} has the figures of sampling; {@code store} writes,
 * {@code read} reads; {@code chunk} knows JFR's files, and {@code weave} puts samples and JFR's own
 * events together. Module {@code export} makes flame graphs and tables of what is read.
 */
package stackweave.jfr;
