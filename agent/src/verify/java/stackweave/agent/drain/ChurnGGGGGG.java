package stackweave.agent.drain;

/**
 * One generation of code, as a pattern: {@link ChurnLoader} puts the generation's number for {@code
 * GGGGGG}. Each method calls the next one only, so that names alone tell who may stand above whom.
 */
final class ChurnGGGGGG extends ChurnBase {
  @Override
  public int applyAsInt(int n) {
    return mGGGGGG0(n);
  }

  private int mGGGGGG0(int n) {
    int sum = 0;
    for (int i = 0; i < 3; i++) {
      sum += mGGGGGG1(n + i) ^ i;
    }
    return sum;
  }

  private int mGGGGGG1(int n) {
    int sum = 0;
    for (int i = 0; i < 3; i++) {
      sum += mGGGGGG2(n + i) ^ i;
    }
    return sum;
  }

  private int mGGGGGG2(int n) {
    int sum = 0;
    for (int i = 0; i < 3; i++) {
      sum += mGGGGGG3(n + i) ^ i;
    }
    return sum;
  }

  private int mGGGGGG3(int n) {
    int sum = 0;
    for (int i = 0; i < 3; i++) {
      sum += mGGGGGG4(n + i) ^ i;
    }
    return sum;
  }

  private int mGGGGGG4(int n) {
    int sum = 0;
    for (int i = 0; i < 3; i++) {
      sum += mGGGGGG5(n + i) ^ i;
    }
    return sum;
  }

  private int mGGGGGG5(int n) {
    return step(this, n);
  }

  @Override
  protected int leaf(int n) {
    return Integer.toString(n).hashCode();
  }
}
