/**
 * Native memory: which stacks touched pages first, and which of these pages were given back. Page
 * faults come from perf events beside the engine of CPU time; nothing is changed in the
 * application.
 */
package stackweave.agent.feature.memory;
