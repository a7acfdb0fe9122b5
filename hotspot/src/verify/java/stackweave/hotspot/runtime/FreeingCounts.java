package stackweave.hotspot.runtime;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.stream.Collectors;
import stackweave.hotspot.Vm;
import stackweave.hotspot.memory.LastingMemory;

/**
 * Program of {@link CodeFreeingTest}: prints what {@link CodeFreeing} counts after young
 * collections and after a full one, beside what the JDK's own beans say.
 */
final class FreeingCounts {
  private static final int YOUNG = 5;
  private static volatile Object sink;

  private FreeingCounts() {}

  public static void main(String[] arguments) throws Exception {
    Vm vm = new Vm();
    CodeFreeing freeing = CodeFreeing.find(vm.layout(), new LastingMemory(null, vm.memory));
    if (freeing == null) {
      System.out.println("not told");
      return;
    }
    long begin = freeing.begun();
    long collected = young();
    while (young() < collected + YOUNG) {
      sink = new byte[100_000];
    }
    long young = freeing.begun() - begin;
    System.gc();
    long full = freeing.begun() - begin - young;
    System.out.println("young " + young + ", full " + full + ", " + beans());
  }

  private static long young() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .filter(bean -> isYoung(bean.getName()))
        .mapToLong(GarbageCollectorMXBean::getCollectionCount)
        .sum();
  }

  private static boolean isYoung(String name) {
    return name.equals("G1 Young Generation") || name.equals("Copy") || name.contains("Scavenge");
  }

  private static String beans() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .map(bean -> bean.getName() + " " + bean.getCollectionCount())
        .collect(Collectors.joining(", "));
  }
}
