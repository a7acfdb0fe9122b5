package stackweave.maps.modules;

import java.nio.file.Path;

/**
 * Files of libraries that are held open, so that they can be read after they were deleted. Asked by
 * the thread of {@link ModuleIndex}.
 */
@FunctionalInterface
public interface KeptFiles {
  /** No files are kept. */
  KeptFiles NONE = path -> null;

  /**
   * Another path by which the file can be read that was last loaded from {@code path}; null if it
   * is not held. It need not be the file that is mapped.
   */
  Path of(String path);
}
