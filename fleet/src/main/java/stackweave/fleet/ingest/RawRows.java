package stackweave.fleet.ingest;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import stackweave.fleet.store.Table;

/**
 * What a task writes of a file: rows of all tables in one, each with the number of the file, and
 * the columns of one table. So each recording is read once, and a task that is repeated after a
 * machine was lost replaces all that it wrote. Not thread-safe.
 */
final class RawRows implements Iterator<Row> {
  /** The column with the number of the file. */
  static final String INPUT = "input";

  /** A column of stacks: how many of the frames have names. */
  static final String NAMED = "named";

  /** A column of stacks: the number of the recording's piece, which has each stack once. */
  static final String PIECE = "piece";

  private record Part(Table table, Iterator<Row> rows) {}

  private final InputFile input;
  private final Deque<Part> parts = new ArrayDeque<>();

  /** Without rows yet. */
  RawRows(InputFile input) {
    this.input = input;
  }

  /** The columns: the file's number, and one struct a table, null but for the row's own. */
  static StructType columns() {
    StructType columns = new StructType().add(INPUT, DataTypes.IntegerType);
    for (Table table : Table.values()) {
      StructType own = table.columns();
      if (table == Table.STACKS) {
        own = own.add(NAMED, DataTypes.IntegerType).add(PIECE, DataTypes.IntegerType);
      }
      columns = columns.add(table.label(), own);
    }
    return columns;
  }

  /** Adds rows of a table, which are made one by one. */
  RawRows then(Table table, Iterator<Row> rows) {
    parts.add(new Part(table, rows));
    return this;
  }

  @Override
  public boolean hasNext() {
    while (!parts.isEmpty() && !parts.peek().rows.hasNext()) {
      parts.remove();
    }
    return !parts.isEmpty();
  }

  @Override
  public Row next() {
    Part part = parts.element();
    Object[] values = new Object[1 + Table.values().length];
    values[0] = input.number();
    values[1 + part.table.ordinal()] = part.rows.next();
    return RowFactory.create(values);
  }
}
