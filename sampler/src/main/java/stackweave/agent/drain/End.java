package stackweave.agent.drain;

/** Why an engine is drained no more, or no engine is. */
enum End {
  /** Another engine is to take over. */
  REPLACED,
  /** No engine could be had. */
  REFUSED,
  /** The same, for a cause that may go away by itself. */
  REFUSED_FOR_NOW,
  /** Heap, metaspace or a limit of the process leaves too little. */
  NO_ROOM,
  /** Sampling is to stop, or is switched off. */
  STOPPED
}
