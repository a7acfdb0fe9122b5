/**
 * What a running VM tells besides frames: its threads, garbage collections, loaded classes and
 * performance data.
 */
package stackweave.hotspot.runtime;
