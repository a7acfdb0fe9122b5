/** Finds what the running recordings request: no samples, or samples at an interval. */
package stackweave.jfr.control;
