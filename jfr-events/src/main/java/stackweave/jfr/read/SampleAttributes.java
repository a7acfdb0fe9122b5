package stackweave.jfr.read;

/** What a sample says beside thread, stack and weight, in the codes of its session. */
record SampleAttributes(int stateCode, int endCode, long contextId, long ageNanos) {
  /** Of a sample whose attributes are not in the recording. */
  static final SampleAttributes LOST = new SampleAttributes(-1, -1, 0, 0);
}
