/**
 * Engines, which make the kernel interrupt running threads, and deliver raw samples. {@link
 * stackweave.engine.choice.EngineChooser} starts the first that this machine permits, by an {@link
 * stackweave.engine.EngineConfig}, or says why none may run ({@link
 * stackweave.engine.EngineRefusal}). The thread that starts a {@link
 * stackweave.engine.SampleEngine} is its drain thread: it alone may use the engine, is not sampled
 * itself, and receives the samples by its {@link stackweave.engine.EngineSink}.
 *
 * <p>Times are nanoseconds on the clock of {@link System#nanoTime}, intervals nanoseconds of CPU
 * time, and thread ids the kernel's. A sample is a {@link
 * stackweave.unwind.snapshot.StackSnapshot}: the registers and a copy of the stack.
 */
package stackweave.engine;
