package stackweave.agent.drain;

import stackweave.agent.drain.limit.HeapRoom;
import stackweave.engine.choice.EngineSource;
import stackweave.jfr.process.SampledProcess;

/**
 * What is sampled, and by what; tests replace it.
 *
 * @param process the one that is sampled
 * @param engines starts engines
 * @param heap the one of this JVM, in which samples are decoded
 */
record Machine(SampledProcess process, EngineSource engines, HeapRoom.Heap heap) {
  /** This process by this machine's engines. */
  static final Machine REAL =
      new Machine(SampledProcess.OWN, EngineSource.OF_MACHINE, HeapRoom.Heap.OF_JVM);
}
