/**
 * What a running VM shows besides frames: its threads, garbage collections, the freeing of code,
 * and performance data.
 */
package stackweave.hotspot.runtime;
