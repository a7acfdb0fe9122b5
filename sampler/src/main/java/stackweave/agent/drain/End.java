package stackweave.agent.drain;

/** Why a run of an engine ended, or could not begin. */
enum End {
  /** Another engine is to take over. */
  REPLACED,
  /** No engine was available. */
  REFUSED,
  /** No engine was available, for a cause that may disappear by itself. */
  REFUSED_FOR_NOW,
  /** Heap, metaspace or a limit of the process leaves too little. */
  NO_ROOM,
  /** Sampling is to stop, or is switched off. */
  STOPPED,
  /** The sampled process, which is another one, has ended or runs another program. */
  GONE
}
