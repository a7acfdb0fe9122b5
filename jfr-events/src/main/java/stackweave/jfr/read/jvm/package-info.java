/** What JFR's own events say of a recorded JVM. */
package stackweave.jfr.read.jvm;
