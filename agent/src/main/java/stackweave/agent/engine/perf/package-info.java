/**
 * The engine on perf_event_open: events and their budget, ring buffers, their records, and the
 * threads that lived too short to be seen.
 */
package stackweave.agent.engine.perf;
