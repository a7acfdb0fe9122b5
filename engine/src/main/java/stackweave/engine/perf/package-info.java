/**
 * The engines on perf_event_open: events and their budget, ring buffers, and their records. {@code
 * PerfEngine} has what both share.
 *
 * <p><b>By CPU</b> ({@code PerfCpuEngine}). One sampling event per CPU, which owns the CPU's ring.
 * Package {@code filter} drops samples of other processes. {@code RingMerge} takes the records in
 * the order of time; {@code CpuRecords} passes the samples on, each with its CPU's period as its
 * weight. {@code EndedThreads} reports which threads have ended. Of many processes, {@code
 * SharedEvents} takes the samples out of the rings and hands them to the {@code PerfSharedEngine}
 * of each.
 *
 * <p><b>By thread</b> ({@code PerfThreadEngine}). One sampling event per thread and CPU, inherited
 * by later threads ({@code PerfEvents}), writes into the CPU's ring, which an event of the drain
 * thread owns that counts nothing. {@code PerfRecords} decodes the records. Each sample weighs one
 * interval. A thread's first sample on a CPU comes after a full interval there, so threads that use
 * less CPU time than that have none; the engine's statistics say how much is missing. Threads that
 * inherited from the same one and take turns on a CPU share a timer there (the kernel swaps their
 * events instead of stopping and starting them): together they have the samples of their CPU time,
 * each of them on the average.
 *
 * <p><b>Switches.</b> Beside any engine {@code SwitchEvents} records when threads leave a CPU and
 * get one, by events and rings of its own, which {@code SwitchRecords} decodes; with the limits of
 * events by thread.
 */
package stackweave.engine.perf;
