package stackweave.lab.overhead.app;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.JavaFileObject.Kind;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.apache.lucene.index.IndexWriter;

/** The JDK's compiler, over and over the sources of a large library. */
public final class CompilerApplication implements Application {

  /** A source file, in memory. */
  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String name, String text) {
      super(URI.create("memory:///" + name), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  /** Where the class files go. */
  private static final class Nowhere extends SimpleJavaFileObject {
    Nowhere(String name) {
      super(URI.create("nowhere:///" + name.replace('.', '/')), Kind.CLASS);
    }

    @Override
    public OutputStream openOutputStream() {
      return OutputStream.nullOutputStream();
    }
  }

  private static final class Files extends ForwardingJavaFileManager<JavaFileManager> {
    Files(JavaFileManager all) {
      super(all);
    }

    @Override
    public JavaFileObject getJavaFileForOutput(
        Location location, String className, Kind kind, FileObject sibling) {
      return new Nowhere(className);
    }
  }

  @Override
  public void work(int worker, Units units) throws IOException {
    List<Source> sources = sources();
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    List<String> options = List.of("-proc:none", "-nowarn", "-g", "--release", "11", "-cp", "");
    while (units.next()) {
      JavaFileManager all = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
      try (Files files = new Files(all)) {
        compiler.getTask(null, files, problem -> {}, options, null, sources).call();
      }
    }
  }

  /** All sources of Lucene's core. */
  static List<Source> sources() throws IOException {
    List<Source> sources = new ArrayList<>();
    for (Text text : Text.all()) {
      sources.add(new Source(text.name(), text.text()));
    }
    return sources;
  }

  /** A file of Lucene's sources, which lie beside its classes on the class path. */
  record Text(String name, String text) {
    static List<Text> all() throws IOException {
      List<Text> all = new ArrayList<>();
      try (ZipInputStream zip = new ZipInputStream(jar().openStream())) {
        for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
          String name = entry.getName();
          if (name.endsWith(".java") && !name.endsWith("-info.java")) {
            all.add(new Text(name, new String(zip.readAllBytes(), StandardCharsets.UTF_8)));
          }
        }
      }
      return all;
    }

    private static URL jar() throws IOException {
      try {
        Path classes =
            Path.of(IndexWriter.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        String name = classes.getFileName().toString().replace(".jar", "-sources.jar");
        return classes.resolveSibling(name).toUri().toURL();
      } catch (URISyntaxException e) {
        throw new IOException(e);
      }
    }
  }
}
