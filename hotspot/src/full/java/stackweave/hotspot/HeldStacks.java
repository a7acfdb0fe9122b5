package stackweave.hotspot;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.HotSpotMethod;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * Parks all of {@link ParkedBodies} at once, and a thread in a native method, prints what the
 * unwinder sees of every thread of the process that waits in a system call, and holds still until
 * its standard input ends: so that other tools can be asked about the same stacks. Lines: {@code
 * thread ID END}, then innermost first {@code native PC}, {@code java CLASS.METHOD BCI LINE KIND},
 * {@code stub NAME}; at last {@code held}.
 */
public final class HeldStacks {
  private final Vm vm = new Vm();
  private final MixedUnwinder unwinder = vm.unwinder();
  private final FrameBuffer frames = new FrameBuffer(4096);

  private HeldStacks() throws Exception {}

  public static void main(String[] args) throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (Map.Entry<String, ParkedBodies.Body> body : ParkedBodies.bodies().entrySet()) {
      threads.add(park(body.getKey(), body.getValue()));
    }
    threads.add(readForever());
    awaitSleep(); // the last ones are on their way
    HeldStacks held = new HeldStacks();
    Map<Integer, String> stacks = held.all();
    while (!stacks.equals(held.all())) { // somebody moved meanwhile
      Thread.sleep(100);
      stacks = held.all();
    }
    stacks.values().forEach(System.out::print);
    System.out.println("held");
    while (System.in.read() >= 0) {}
    System.exit(0);
  }

  /** Waits until no other thread runs, nor waits for a CPU; a minute at most. */
  private static void awaitSleep() throws IOException, InterruptedException {
    for (int i = 0, quiet = 0; i < 3_000 && quiet < 10; i++) {
      Thread.sleep(20);
      quiet = othersSleep() ? quiet + 1 : 0;
    }
  }

  private static boolean othersSleep() throws IOException {
    String self = Path.of("/proc/thread-self").toRealPath().getFileName().toString();
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
      for (Path task : tasks) {
        String stat = Files.readString(task.resolve("stat"));
        char state = stat.charAt(stat.lastIndexOf(')') + 2);
        if (state != 'S' && !task.endsWith(self)) {
          return false;
        }
      }
    } catch (IOException e) {
      return false; // one has ended
    }
    return true;
  }

  private static Thread park(String name, ParkedBodies.Body body) throws InterruptedException {
    Gate gate = new Gate();
    gate.closed = true;
    Thread thread =
        new Thread(
            () -> {
              try {
                body.run(gate);
              } catch (Throwable t) {
                throw new IllegalStateException(name, t);
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
    gate.reached.await();
    return thread;
  }

  /** A thread in a native method, in a system call that does not return. */
  private static Thread readForever() throws IOException {
    Process silent = new ProcessBuilder("sleep", "900").start();
    Runtime.getRuntime().addShutdownHook(new Thread(silent::destroyForcibly));
    InputStream never = silent.getInputStream();
    Thread thread =
        new Thread(
            () -> {
              try {
                never.read();
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            },
            "native read");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private Map<Integer, String> all() throws IOException {
    Map<Integer, String> stacks = new TreeMap<>();
    vm.modules.refresh();
    Path self = Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName();
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
      for (Path task : tasks) {
        if (task.getFileName().equals(self)) {
          continue; // in a system call right now, but not for long
        }
        int tid = Integer.parseInt(task.getFileName().toString());
        try {
          StackSnapshot snapshot = ParkedThread.snapshot(tid, vm.memory);
          unwinder.unwind(snapshot, vm.modules, frames);
          stacks.put(tid, text(tid));
        } catch (IllegalStateException | IOException e) {
          continue; // runs, or is gone
        }
      }
    }
    return stacks;
  }

  private String text(int tid) {
    StringBuilder text = new StringBuilder("thread " + tid + " " + frames.end() + "\n");
    for (int i = 0; i < frames.count(); i++) {
      int id = frames.method(i);
      if (id == FrameBuffer.NO_METHOD) {
        text.append("native ").append(Long.toHexString(frames.pc(i)));
      } else if (vm.methods.get(id).isStub()) {
        text.append("stub ").append(vm.methods.get(id).name());
      } else {
        HotSpotMethod m = vm.methods.get(id);
        text.append("java " + m.className() + "." + m.name());
        text.append(" " + frames.bci(i) + " " + frames.line(i) + " " + frames.kind(i));
      }
      text.append("\n");
    }
    return text.toString();
  }
}
