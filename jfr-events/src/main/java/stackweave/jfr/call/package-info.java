/** Timed calls of native methods: their events, their patterns, and who writes them. */
package stackweave.jfr.call;
