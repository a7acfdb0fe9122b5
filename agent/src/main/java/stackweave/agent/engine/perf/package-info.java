/**
 * The engine on perf_event_open: events and their budget, ring buffers, their records, and the
 * threads that lived too short to be seen.
 *
 * <p><b>The way of a sample.</b> One ring per CPU, owned by an event of the drain thread that
 * counts nothing ({@code PerfRing}). One sampling event per thread and CPU writing into it,
 * inherited by later threads ({@code PerfEvents}). {@code RingMerge} takes the records in the order
 * of time; {@code PerfRecords} decodes them.
 *
 * <p><b>Weights.</b> Each sample weighs one interval. A thread's first sample on a CPU comes after
 * a full interval there, so of threads that use less CPU time than that nothing would be seen.
 * Where such threads come ({@code ShortThreads}), those that start them get events with a shorter
 * period, which their children inherit ({@code PerfShortEvents}), and the drain keeps as many of
 * those samples as were asked for ({@code PerfThinning}); the engine's statistics say what is
 * missing all the same. Threads that inherited from the same one and take turns on a CPU share a
 * timer there (the kernel swaps their events instead of stopping and starting them): together they
 * have the samples of their CPU time, each of them on the average.
 *
 * <p><b>Switches.</b> Beside any engine {@code SwitchEvents} records when threads leave a CPU and
 * get one, by events and rings of its own, which {@code SwitchRecords} decodes; with the same
 * limits.
 */
package stackweave.agent.engine.perf;
