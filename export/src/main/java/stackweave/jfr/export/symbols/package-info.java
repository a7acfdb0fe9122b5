/**
 * Names of native functions that a recording lacks, found when it is read: symbols, inlined
 * functions and lines, from files with the same build id as the recorded libraries.
 */
package stackweave.jfr.export.symbols;
