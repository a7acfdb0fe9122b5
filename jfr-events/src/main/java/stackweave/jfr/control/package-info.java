/** What the running recordings ask for: nothing, or samples at an interval. */
package stackweave.jfr.control;
