/**
 * Native code without unwind tables: how callers are found there, in the order of trust
 * (docs/code-without-tables.md).
 */
package stackweave.hotspot.tableless;
