/**
 * What sampling may take of the CPU, the heap and the metaspace, and what is done when it becomes
 * too much.
 */
package stackweave.agent.drain.limit;
