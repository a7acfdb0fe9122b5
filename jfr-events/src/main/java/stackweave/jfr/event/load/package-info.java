/** Events of libraries that Java code loads, beside those that define what samples name. */
package stackweave.jfr.event.load;
