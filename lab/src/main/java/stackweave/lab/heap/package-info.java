/** Programs that keep most of their heap in use, run with and without the agent. */
package stackweave.lab.heap;
