/**
 * Blocks of definitions (docs/events.md): the pieces of one are put together, and what they define
 * is handed on.
 */
package stackweave.jfr.read.block;
