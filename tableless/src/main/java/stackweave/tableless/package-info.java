/**
 * Native code without unwind tables: how callers are found there, in the order of trust
 * (docs/code-without-tables.md). The module's only way in is {@code CodeUnwinder}.
 */
package stackweave.tableless;
