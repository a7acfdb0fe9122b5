package stackweave.agent.decode.thread;

import stackweave.agent.jdk.JavaThreadFinder;
import stackweave.hotspot.runtime.JavaThreads;
import stackweave.hotspot.runtime.JavaThreads.JavaThread;

/**
 * The threads of another process's VM, by the VM's list. Their names are the kernel's. For the
 * drain thread only.
 */
public final class OtherThreadFinder implements JavaThreadFinder {
  private final JavaThreads vmThreads;

  public OtherThreadFinder(JavaThreads vmThreads) {
    this.vmThreads = vmThreads;
  }

  @Override
  public void forEach(Visitor visitor) {
    for (JavaThread thread : vmThreads.all()) {
      visitor.javaThread(
          thread.osThreadId(), null, vmThreads.stackEnd(thread.address()), thread.address());
    }
  }
}
