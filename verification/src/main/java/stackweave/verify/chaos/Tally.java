package stackweave.verify.chaos;

/** What one antagonist has done, by the numbers of {@link Antagonist#counts}. Thread-safe. */
record Tally(Board board, int firstSlot) {

  void add(int count, long amount) {
    board.add(firstSlot + count, amount);
  }

  void one(int count) {
    add(count, 1);
  }

  void set(int count, long value) {
    board.set(firstSlot + count, value);
  }

  long get(int count) {
    return board.get(firstSlot + count);
  }

  void done() {
    board.set(firstSlot + Board.COUNTS - 1, 1);
  }

  boolean isDone() {
    return board.get(firstSlot + Board.COUNTS - 1) != 0;
  }

  /** Changes as long as the antagonist does something. */
  long beat() {
    long sum = 0;
    for (int i = 0; i < Board.COUNTS; i++) {
      sum = sum * 31 + board.get(firstSlot + i);
    }
    return sum;
  }
}
