/**
 * Following native code: what a processor's package must tell, and the part of the analysis that is
 * the same on all processors.
 */
package stackweave.tableless.code;
