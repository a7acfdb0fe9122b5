/** Which JVMs survive with little room in their heaps, with the agent and without. */
package stackweave.lab.heap;
