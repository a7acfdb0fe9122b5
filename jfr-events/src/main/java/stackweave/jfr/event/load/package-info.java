/** Events of libraries that Java code loads; they define nothing that samples refer to. */
package stackweave.jfr.event.load;
