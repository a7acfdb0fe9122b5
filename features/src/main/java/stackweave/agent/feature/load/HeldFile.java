package stackweave.agent.feature.load;

import java.io.FileInputStream;
import java.nio.file.Path;

/**
 * The open file of a library, and the path of its descriptor, by which it can be read after it was
 * deleted. Immutable; closed by {@link HeldFiles#close}.
 *
 * @param name the path that it was opened by
 * @param path the same file as long as it is open
 * @param bytes its length
 */
record HeldFile(String name, FileInputStream stream, Path path, long bytes) {}
