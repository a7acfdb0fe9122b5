/** What keeps the JVM waiting: threads that are late at safepoints, JNI critical sections. */
package stackweave.jfr.export.stall;
