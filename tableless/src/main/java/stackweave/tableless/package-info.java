/**
 * Native code without unwind tables: how callers are found there, in the order of trust
 * (docs/unwinding.md). The module's only way in is {@code CodeUnwinder}.
 */
package stackweave.tableless;
