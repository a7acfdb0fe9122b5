/**
 * The events of a recording, schema version {@value stackweave.jfr.event.Session#SCHEMA_VERSION}.
 *
 * <p>A stack is normalised over four events: a {@link stackweave.jfr.event.NativeSample} names the
 * {@link stackweave.jfr.event.Frame} it stopped in, each frame names its caller and its {@link
 * stackweave.jfr.event.Method}, a method its {@link stackweave.jfr.event.NativeLibrary}. Ids are
 * never reused in a process, and every chunk of a recording holds the definitions of all ids that
 * its samples reach. Fields are only ever added; readers ask whether a field is there.
 */
package stackweave.jfr.event;
