package stackweave.agent.feature.load;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import stackweave.agent.feature.Feature;
import stackweave.agent.feature.FeatureContext;
import stackweave.agent.feature.FeatureRefusedException;
import stackweave.agent.feature.FeatureSession;
import stackweave.agent.jdk.hook.HookException;
import stackweave.agent.jdk.hook.LibraryLoadHook;
import stackweave.jfr.event.load.LoadEvents;
import stackweave.jfr.event.load.NativeLibraryLoad;
import stackweave.jfr.event.load.NativeLibraryMapped;
import stackweave.maps.modules.KeptFiles;
import stackweave.maps.modules.MappedModule;
import stackweave.maps.modules.ModuleIndex;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Observes the libraries that Java code loads. Threads that load one open its file, time the load
 * and commit its event; all else is done by the drain thread: it finds where the library is mapped,
 * and closes the file when its tables were read or it has proven to stay.
 */
public final class LoadsFeature implements Feature, KeptFiles {
  /** Most loads that wait for the drain thread; it does not locate further ones. */
  private static final int MAX_WAITING = 256;

  /** How often files that are held are looked at. */
  private static final long LOOK_NANOS = 100_000_000L;

  /** Loaders that extract a library delete it at once; after this time a file is taken to stay. */
  private static final long STAYS_NANOS = 10_000_000_000L;

  /** Unique in the process, because the agent may be attached again. */
  private static final AtomicLong NUMBERS = new AtomicLong();

  private final Instrumentation instrumentation;
  private final ConcurrentLinkedQueue<ObservedLoad> inbox = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();

  /** Null until the JDK is instrumented. */
  private LibraryLoadHook hook;

  private volatile HeldFiles files;

  /** Whether it also works while nothing is sampled. */
  private boolean early;

  /** Whether files are opened: only while something will close them. */
  private volatile boolean holds;

  /** Null while nothing is sampled. */
  private ModuleIndex modules;

  private MemoryReader memory;
  private Runnable refresh;

  private final List<ObservedLoad> unfound = new ArrayList<>();
  private final List<Held> held = new ArrayList<>();
  private long looked;

  private record Held(HeldFile file, MappedModule module, long sinceNanos) {
    /** Whether the path still leads to the open file. */
    private boolean stillAtPath() {
      try {
        return Files.isSameFile(Path.of(file.name()), file.path());
      } catch (IOException | InvalidPathException e) {
        return false; // the path has no file
      }
    }
  }

  /** Instruments nothing before {@link #open} or {@link #beginEarly}. */
  public LoadsFeature(Instrumentation instrumentation) {
    this.instrumentation = instrumentation;
  }

  /**
   * Instruments the JDK now, on the thread that starts the agent, and reports loads as soon as a
   * recording runs.
   *
   * @throws FeatureRefusedException if it can't be instrumented
   */
  public void beginEarly() throws FeatureRefusedException {
    try {
      early = true;
      LoadEvents.early(new Unsampled());
      install();
      // As rehearse does, but without JFR, which is not to be started for this.
      files.close(files.open("/proc/self/exe"));
      new ObservedLoad(this, 0, "", null, null);
      holds = true;
      hook.listen(new Listener());
    } catch (HookException | RuntimeException | LinkageError e) {
      throw new FeatureRefusedException(failure() + ": " + e.getMessage());
    }
  }

  @Override
  public String failure() {
    return "loads of libraries are not observed";
  }

  /** Lets files that are already held be read in place of those that are gone. */
  @Override
  public void prepare(ModuleIndex found) {
    found.keptBy(this);
  }

  /** Instruments the JDK if that was not done before, and reports loads. */
  @Override
  public FeatureSession open(FeatureContext context) throws FeatureRefusedException {
    modules = context.decoder().process().modules();
    memory = context.decoder().process().memory();
    refresh = context.samples()::refreshModules;
    try {
      install();
      LoadEvents.register();
      Listener listener = new Listener();
      rehearse(listener);
      holds = true;
      hook.listen(listener);
      return new Session();
    } catch (HookException | RuntimeException | LinkageError e) {
      end();
      throw new FeatureRefusedException(failure() + ": " + e.getMessage());
    }
  }

  private final class Session implements FeatureSession {
    @Override
    public void pass() {
      look(System.nanoTime());
    }

    @Override
    public void flush() {
      pass();
    }

    @Override
    public void close() {
      end();
    }
  }

  private void install() throws HookException {
    if (hook != null) {
      return;
    }
    try {
      files = HeldFiles.of(instrumentation);
    } catch (ReflectiveOperationException | RuntimeException e) {
      throw new HookException("files can't be held: " + e, e);
    }
    hook = LibraryLoadHook.install(instrumentation);
  }

  /**
   * Loads all classes that a load needs: a thread that loads a library may hold a lock of the JDK,
   * and must not wait there for a class loader.
   */
  private void rehearse(Listener listener) {
    ObservedLoad load = (ObservedLoad) listener.load("/proc/self/exe", false);
    if (load != null) {
      files.close(load.file);
    }
  }

  /** On the threads that load libraries. */
  private final class Listener implements BiFunction<String, Boolean, BiConsumer<Long, Throwable>> {
    @Override
    public BiConsumer<Long, Throwable> apply(String path, Boolean foreign) {
      return LoadEvents.areRegistered() ? load(path, foreign) : null;
    }

    private BiConsumer<Long, Throwable> load(String path, boolean foreign) {
      NativeLibraryLoad event = new NativeLibraryLoad();
      if (!event.isEnabled()) {
        return null;
      }
      event.foreign = foreign;
      HeldFile file = holds ? files.open(path) : null;
      event.begin();
      return new ObservedLoad(LoadsFeature.this, NUMBERS.incrementAndGet(), path, file, event);
    }
  }

  /** On the thread that has loaded a library, or failed to. */
  void ended(ObservedLoad load, boolean loaded) {
    if (loaded && waiting.incrementAndGet() <= MAX_WAITING) {
      inbox.add(load);
      // Sampling has ended meanwhile: either {@link #end} takes the load, or it is removed here.
      if (holds || load.file == null || !inbox.remove(load)) {
        return;
      }
    }
    if (loaded) {
      waiting.decrementAndGet();
    }
    files.close(load.file);
  }

  /** Closes files that loads have opened, because no recording asks for samples. Any thread. */
  private final class Unsampled implements Runnable {
    @Override
    public void run() {
      holds = false;
      for (ObservedLoad load : inbox) {
        if (load.file != null && inbox.remove(load)) {
          waiting.decrementAndGet();
          files.close(load.file);
        }
      }
    }
  }

  /** Takes the loads that threads have reported since the last call. */
  private void take() {
    for (ObservedLoad load = inbox.poll(); load != null; load = inbox.poll()) {
      waiting.decrementAndGet();
      unfound.add(load);
    }
  }

  /** Reports where libraries are mapped that were loaded since the last look, and closes files. */
  private void look(long nowNanos) {
    take();
    if (!unfound.isEmpty()) {
      // The refresh reads files, and so takes loads that have ended after it has read the mappings.
      int before = unfound.size();
      refresh.run();
      for (int i = 0; i < before; i++) {
        found(unfound.get(i), nowNanos);
      }
      unfound.subList(0, before).clear();
    }
    if (!held.isEmpty() && nowNanos - looked >= LOOK_NANOS) {
      looked = nowNanos;
      closeRead(nowNanos);
    }
  }

  private void found(ObservedLoad load, long nowNanos) {
    MappedModule module = find(load);
    if (module == null) {
      files.close(load.file); // it is not mapped any more
      return;
    }
    NativeLibraryMapped event = new NativeLibraryMapped();
    event.load = load.number;
    event.path = module.path();
    event.buildId = module.buildId() == null ? "" : module.buildId();
    event.start = module.start();
    event.end = module.end();
    event.fileKept = load.file != null;
    event.commit();
    if (load.file != null) {
      held.add(new Held(load.file, module, nowNanos));
    }
  }

  /**
   * Finds a library by the address at which dlopen mapped it, the first word of struct link_map
   * (link.h of glibc), to which a handle points; if it is closed already, by the path.
   */
  private MappedModule find(ObservedLoad load) {
    long base = 0;
    try {
      base = memory.readLong(load.handle);
    } catch (UnreadableMemoryException e) {
      base = 0;
    }
    MappedModule samePath = null;
    for (MappedModule module : modules.latest().modules()) {
      if (base != 0 && module.bias() == base) {
        return module;
      }
      if (module.path().equals(load.path)) {
        samePath = module;
      }
    }
    return samePath;
  }

  private void closeRead(long nowNanos) {
    for (Iterator<Held> all = held.iterator(); all.hasNext(); ) {
      Held each = all.next();
      if (isOver(each, nowNanos)) {
        all.remove();
        files.close(each.file());
      }
    }
  }

  private boolean isOver(Held each, long nowNanos) {
    MappedModule module = each.module();
    if (!module.isRead() && !each.stillAtPath()) {
      module.readNow(); // a very large library is only read while there is room for it
    }
    if (module.isRead()) {
      return true;
    }
    boolean old = nowNanos - each.sinceNanos() > STAYS_NANOS;
    return old && (each.stillAtPath() || !modules.latest().modules().contains(module));
  }

  /** Sampling ends: files are closed, and the JDK reads one field for each load. */
  private void end() {
    if (!early && hook != null) {
      hook.close();
    }
    holds = false;
    take();
    for (ObservedLoad load : unfound) {
      files.close(load.file);
    }
    unfound.clear();
    for (Held each : held) {
      files.close(each.file());
    }
    held.clear();
    modules = null;
    memory = null;
    refresh = null;
  }

  @Override
  public void pause() {
    end();
  }

  @Override
  public void remove() {
    early = false;
    end();
  }

  /** The open file of a library that is gone. For the drain thread. */
  @Override
  public Path of(String path) {
    take();
    for (int i = unfound.size() - 1; i >= 0; i--) {
      ObservedLoad load = unfound.get(i);
      if (load.file != null && load.path.equals(path)) {
        return load.file.path();
      }
    }
    for (int i = held.size() - 1; i >= 0; i--) {
      if (held.get(i).file().name().equals(path)) {
        return held.get(i).file().path();
      }
    }
    return null;
  }
}
