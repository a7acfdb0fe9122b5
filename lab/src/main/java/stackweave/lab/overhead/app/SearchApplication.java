package stackweave.lab.overhead.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.FuzzyQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.WildcardQuery;
import org.apache.lucene.store.FSDirectory;
import stackweave.lab.overhead.app.CompilerApplication.Text;

/** A search index: Lucene indexes its own sources, and is asked for words that stand in them. */
public final class SearchApplication implements Application {
  private static final int DOCUMENTS = 20;
  private static final int QUERIES = 100;

  @Override
  public void work(int worker, Units units) throws IOException {
    List<Text> texts = Text.all();
    Random random = new Random(worker);
    Path directory = Files.createTempDirectory("search");
    try (FSDirectory files = FSDirectory.open(directory);
        IndexWriter writer =
            new IndexWriter(files, new IndexWriterConfig(new StandardAnalyzer()))) {
      while (units.next()) {
        for (int i = 0; i < DOCUMENTS; i++) {
          add(writer, texts.get(random.nextInt(texts.size())), random);
        }
        try (DirectoryReader reader = DirectoryReader.open(writer)) {
          IndexSearcher searcher = new IndexSearcher(reader);
          for (int i = 0; i < QUERIES; i++) {
            String[] words = texts.get(random.nextInt(texts.size())).text().split("\\W+");
            Query query = query(words, random);
            if (random.nextBoolean()) {
              searcher.search(query, 10);
            } else {
              searcher.search(query, 10, new Sort(new SortField("size", SortField.Type.LONG)));
            }
          }
        }
      }
    }
    try (var left = Files.newDirectoryStream(directory)) {
      for (Path file : left) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }

  private static void add(IndexWriter writer, Text text, Random random) throws IOException {
    Document document = new Document();
    document.add(new StringField("name", text.name(), Field.Store.YES));
    document.add(new TextField("text", text.text(), Field.Store.NO));
    document.add(new NumericDocValuesField("size", text.text().length()));
    // Some are replaced, so that there are deletions and merges.
    if (random.nextInt(4) == 0) {
      writer.updateDocument(new Term("name", text.name()), document);
    } else {
      writer.addDocument(document);
    }
  }

  private static Query query(String[] words, Random random) {
    String one = word(words, random);
    String other = word(words, random);
    return switch (random.nextInt(6)) {
      case 0 -> new TermQuery(new Term("text", one));
      case 1 -> new PhraseQuery(2, "text", one, other);
      case 2 -> new PrefixQuery(new Term("text", one.substring(0, Math.min(3, one.length()))));
      case 3 -> new FuzzyQuery(new Term("text", one), 1);
      case 4 -> new WildcardQuery(new Term("text", one.charAt(0) + "*" + other.charAt(0)));
      default ->
          new BooleanQuery.Builder()
              .add(new TermQuery(new Term("text", one)), Occur.MUST)
              .add(new TermQuery(new Term("text", other)), Occur.SHOULD)
              .build();
    };
  }

  private static String word(String[] words, Random random) {
    String word = words[random.nextInt(words.length)].toLowerCase(java.util.Locale.ROOT);
    return word.isEmpty() ? "the" : word;
  }
}
