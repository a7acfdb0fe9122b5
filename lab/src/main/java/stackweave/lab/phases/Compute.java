package stackweave.lab.phases;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import stackweave.samples.work.Round;

/** Plain Java: streams, lambdas, sorting, text, calls of many targets, recursion. */
final class Compute implements Round {
  private static final List<DoubleUnaryOperator> SHAPES =
      List.of(
          x -> x * x,
          Math::sin,
          x -> Math.pow(x, 1.3),
          new DoubleUnaryOperator() {
            @Override
            public double applyAsDouble(double x) {
              return Math.sqrt(x) + Math.abs(x + 1);
            }
          });

  @Override
  public long run() {
    long sum = 0;
    for (int i = 0; i < 10; i++) {
      sum = 31 * sum + grouped() + sorted(i) + text() + (long) areas(5_000);
      sum += fibonacci(18) + deeper(60) + locked(30);
    }
    return sum;
  }

  private static long grouped() {
    Map<String, Long> groups =
        IntStream.range(0, 2_000)
            .mapToObj(i -> "k" + i * 31 % 97)
            .collect(Collectors.groupingBy(s -> s, TreeMap::new, Collectors.counting()));
    return groups.hashCode();
  }

  private static long sorted(int seed) {
    Integer[] numbers = new Random(seed).ints(500).boxed().toArray(Integer[]::new);
    Arrays.sort(numbers, Comparator.comparing(x -> -x));
    return numbers[100];
  }

  private static long text() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 500; i++) {
      text.append(i).append(i * 0.5);
    }
    return text.toString().hashCode();
  }

  private static double areas(int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) {
      sum += SHAPES.get(i % SHAPES.size()).applyAsDouble(i);
    }
    return sum;
  }

  static int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
  }

  private static long deeper(int depth) {
    return depth == 0 ? digits(300) : deeper(depth - 1) + 1;
  }

  static long digits(int count) {
    long sum = 0;
    for (int i = 0; i < count; i++) {
      sum += Integer.toString(i).hashCode() ^ sum;
    }
    return sum;
  }

  private static synchronized int locked(int depth) {
    return depth == 0 ? 0 : locked(depth - 1) + 1;
  }
}
