package stackweave.agent.feature.load;

import java.util.function.BiConsumer;
import stackweave.jfr.event.load.NativeLibraryLoad;
import stackweave.unwind.text.ShortText;

/**
 * A load of a library by a thread of the application. That thread makes it before dlopen and calls
 * {@link #accept} after dlopen, constructors and JNI_OnLoad; from then on the drain thread uses it.
 */
final class ObservedLoad implements BiConsumer<Long, Throwable> {
  private final LoadsFeature watch;
  final long number;

  /** The argument of dlopen. */
  final String path;

  /** The open file; null if it is not held. */
  final HeldFile file;

  private final NativeLibraryLoad event;

  /** What dlopen returned: with glibc the address of its struct link_map. */
  long handle;

  ObservedLoad(
      LoadsFeature watch, long number, String path, HeldFile file, NativeLibraryLoad event) {
    this.watch = watch;
    this.number = number;
    this.path = path;
    this.file = file;
    this.event = event;
  }

  @Override
  public void accept(Long handle, Throwable failure) {
    event.end();
    this.handle = handle;
    event.load = number;
    event.path = path;
    event.loaded = handle != 0 && failure == null;
    event.error =
        failure == null
            ? ""
            : ShortText.of(String.valueOf(failure.getMessage()), NativeLibraryLoad.MAX_ERROR);
    watch.ended(this, event.loaded);
    event.commit();
  }
}
