/**
 * Engines: what interrupts running threads and delivers raw samples to the drain thread.
 *
 * <p>{@link stackweave.agent.engine.choice.EngineChooser} starts the first engine that this machine
 * permits and says why it was not an earlier one; the drain thread then waits for and drains the
 * {@link stackweave.agent.engine.SampleEngine} into its {@link stackweave.agent.engine.EngineSink}.
 */
package stackweave.agent.engine;
