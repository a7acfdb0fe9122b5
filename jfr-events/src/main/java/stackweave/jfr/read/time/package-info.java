/** When samples were taken, in cells of time whose number is bounded. */
package stackweave.jfr.read.time;
