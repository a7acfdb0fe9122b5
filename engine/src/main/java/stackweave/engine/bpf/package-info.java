/** Programs that the kernel runs for the agent: their instructions, and how they are loaded. */
package stackweave.engine.bpf;
