/**
 * Storms that a profiler has to stand: threads, libraries and classes by the thousand, each with a
 * result that is known beforehand.
 */
package stackweave.lab.storm;
