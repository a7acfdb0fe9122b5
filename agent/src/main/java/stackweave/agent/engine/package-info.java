/**
 * Engines, which interrupt running threads and deliver raw samples to the drain thread. {@link
 * stackweave.agent.engine.choice.EngineChooser} starts the first that this machine permits; the
 * drain thread then drains the {@link stackweave.agent.engine.SampleEngine} into its {@link
 * stackweave.agent.engine.EngineSink}.
 */
package stackweave.agent.engine;
