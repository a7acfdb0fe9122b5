/** The signal's handler: its machine code, the memory it writes, and how it is installed. */
package stackweave.engine.timer.handler;
