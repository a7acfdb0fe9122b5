package stackweave.agent.drain;

import java.util.function.Function;
import stackweave.agent.drain.limit.HeapRoom;
import stackweave.engine.choice.EngineSource;
import stackweave.jfr.process.SampledProcess;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.SessionInfo;
import stackweave.jfr.store.StoreLimits;
import stackweave.linux.FileRights;

/**
 * What is sampled, by what, and where to; tests replace it.
 *
 * @param process the one that is sampled
 * @param rights those with which its files are opened
 * @param engines starts engines
 * @param heap the one of this JVM, in which samples are decoded
 * @param stores opens the store that samples are written to
 */
record Machine(
    SampledProcess process,
    FileRights rights,
    EngineSource engines,
    HeapRoom.Heap heap,
    Function<SessionInfo, EventStore> stores) {
  /** This process by this machine's engines, into its recordings. */
  static final Machine REAL =
      new Machine(
          SampledProcess.OWN,
          FileRights.UNCHANGED,
          EngineSource.OF_MACHINE,
          HeapRoom.Heap.OF_JVM,
          new JfrStores());

  /** No lambda: bootstrapping the first one takes half a MiB of the heap. */
  private static final class JfrStores implements Function<SessionInfo, EventStore> {
    @Override
    public EventStore apply(SessionInfo info) {
      return EventStore.open(info, StoreLimits.DEFAULT);
    }
  }
}
