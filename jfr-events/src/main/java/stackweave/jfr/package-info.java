/**
 * Recordings: {@code event} has the events, which are the format; {@code control} finds which
 * recordings request samples; {@code status} has the figures of sampling; {@code store} writes,
 * {@code read} reads, {@code export} makes collapsed stacks, flame graphs and tables; {@code table}
 * has the hash tables of these.
 */
package stackweave.jfr;
