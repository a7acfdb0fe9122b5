package stackweave.agent.cli.common;

import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.util.Iterator;
import java.util.Set;
import stackweave.linux.Descriptor;

/**
 * A directory that is open by a descriptor, below whose path in {@code /proc} its files are: for
 * JVMs whose own stream is not secure. On musl from 1.2.4 on the JDK does not find the functions
 * that it looks for by names such as {@code openat64}. It lists nothing, and moves files within
 * itself only.
 */
final class PinnedDirectory implements SecureDirectoryStream<Path> {
  private final Descriptor descriptor;

  PinnedDirectory(Path directory) throws IOException {
    descriptor = Descriptor.directory(directory.toString());
  }

  private Path at(Path name) {
    return descriptor.path().resolve(name);
  }

  @Override
  public SeekableByteChannel newByteChannel(
      Path name, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    return Files.newByteChannel(at(name), options, attributes);
  }

  @Override
  public void deleteFile(Path name) throws IOException {
    Files.delete(at(name));
  }

  @Override
  public void move(Path from, SecureDirectoryStream<Path> directory, Path to) throws IOException {
    if (directory != this) {
      throw new UnsupportedOperationException("another directory");
    }
    Files.move(at(from), at(to), StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public <V extends FileAttributeView> V getFileAttributeView(Class<V> type) {
    return Files.getFileAttributeView(descriptor.path(), type);
  }

  @Override
  public <V extends FileAttributeView> V getFileAttributeView(
      Path name, Class<V> type, LinkOption... options) {
    return Files.getFileAttributeView(at(name), type, options);
  }

  @Override
  public SecureDirectoryStream<Path> newDirectoryStream(Path name, LinkOption... options) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void deleteDirectory(Path name) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Iterator<Path> iterator() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {
    descriptor.close();
  }
}
