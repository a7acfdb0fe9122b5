/**
 * The hard zoo: the agent over native libraries whose code is hard to unwind, its stacks judged by
 * the call chains that are known and, on request, by single-stepping sampled threads to their
 * returns; async-profiler beside it.
 */
package stackweave.lab.zoo;
