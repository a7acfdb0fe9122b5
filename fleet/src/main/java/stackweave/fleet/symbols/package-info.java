/** Names of native functions that are found after the recordings were read. */
package stackweave.fleet.symbols;
