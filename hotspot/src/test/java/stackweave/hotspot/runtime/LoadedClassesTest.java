package stackweave.hotspot.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import stackweave.hotspot.Vm;
import stackweave.hotspot.vmstructs.Layout;
import stackweave.unwind.MemoryReader;

class LoadedClassesTest {

  @Test
  void countsWhatTheJdkCounts() throws Exception {
    LoadedClasses classes = new Vm().hotspot.loadedClasses();
    ClassLoadingMXBean bean = ManagementFactory.getClassLoadingMXBean();
    classes.count();
    bean.getLoadedClassCount(); // what they need is loaded from here on
    long before = bean.getLoadedClassCount();
    long count = classes.count();
    long after = bean.getLoadedClassCount();
    assertTrue(count > 1_000, "classes: " + count);
    assertTrue(
        count >= Math.min(before, after) && count <= Math.max(before, after),
        () -> before + " <= " + count + " <= " + after);
  }

  @Test
  void withoutPerformanceDataItIsNotKnown() throws Exception {
    MemoryReader none =
        new MemoryReader() {
          @Override
          public long readLong(long address) {
            return 0;
          }

          @Override
          public void read(long address, byte[] target, int offset, int count) {
            throw new AssertionError("nothing to be read");
          }
        };
    Layout layout = new Vm().layout();
    assertEquals(LoadedClasses.UNKNOWN, new LoadedClasses(layout, none).count());
  }
}
