/**
 * The VM's methods: names, bytecodes, line numbers, and what a bytecode calls. Read from memory
 * that may be in other use by now, so all of it is checked.
 */
package stackweave.hotspot.method;
