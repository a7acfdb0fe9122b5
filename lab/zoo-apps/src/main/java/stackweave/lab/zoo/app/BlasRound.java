package stackweave.lab.zoo.app;

import org.bytedeco.javacpp.DoublePointer;
import org.bytedeco.openblas.global.openblas_nolapack;
import stackweave.samples.work.Round;

/** OpenBLAS, whose kernels are assembly, in the calling thread alone. */
final class BlasRound implements Round {
  enum Work {
    MATRICES,
    VECTORS
  }

  private static final int SIZE = 192;
  private static final int ROW_MAJOR = 101;
  private static final int PLAIN = 111;
  private static final int TRANSPOSED = 112;
  private static final int UPPER = 121;
  private static final int NOT_UNIT = 131;
  private static final int LEFT = 141;

  private final Work work;
  private DoublePointer a;
  private DoublePointer b;
  private DoublePointer c;

  BlasRound(Work work) {
    this.work = work;
  }

  @Override
  public long run() {
    if (a == null) {
      openblas_nolapack.blas_set_num_threads(1);
      a = matrix();
      b = matrix();
      c = matrix();
    }
    return work == Work.MATRICES ? matrices() : vectors();
  }

  private static DoublePointer matrix() {
    DoublePointer matrix = new DoublePointer((long) SIZE * SIZE);
    for (int i = 0; i < SIZE * SIZE; i++) {
      matrix.put(i, i % (SIZE + 1) == 0 ? 2 : i % 13 / 1300.0);
    }
    return matrix;
  }

  private long matrices() {
    openblas_nolapack.cblas_dgemm(
        ROW_MAJOR, PLAIN, TRANSPOSED, SIZE, SIZE, SIZE, 1, a, SIZE, b, SIZE, 0, c, SIZE);
    openblas_nolapack.cblas_dtrsm(
        ROW_MAJOR, LEFT, UPPER, PLAIN, NOT_UNIT, SIZE, SIZE, 1, a, SIZE, c, SIZE);
    return (long) c.get(SIZE);
  }

  private long vectors() {
    double sum = 0;
    for (int i = 0; i < 100; i++) {
      openblas_nolapack.cblas_dgemv(ROW_MAJOR, PLAIN, SIZE, SIZE, 1, a, SIZE, b, 1, 0, c, 1);
      sum += openblas_nolapack.cblas_ddot(SIZE * SIZE, a, 1, b, 1);
      openblas_nolapack.cblas_daxpy(SIZE, 0.001, b, 1, c, 1);
    }
    return (long) sum;
  }
}
