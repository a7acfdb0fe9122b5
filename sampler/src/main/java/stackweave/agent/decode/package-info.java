/** The way of one sample: find its thread, unwind, name, write. */
package stackweave.agent.decode;
