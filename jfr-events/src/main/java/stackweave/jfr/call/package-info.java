/** Timed calls of native methods: their events, their patterns, and what writes the events. */
package stackweave.jfr.call;
