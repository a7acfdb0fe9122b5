/**
 * The format of JFR's files, version 2, as JDK 17 to 27 write it: chunks with their metadata, pools
 * and events, read in one pass through a small window. What the events mean is not known here.
 */
package stackweave.jfr.chunk;
