/**
 * The analysis of native code by its ways: what is the same on all processors, and what the package
 * of a processor must know.
 */
package stackweave.tableless.code;
