-- The base views that Spark SQL derives from the tables samples, stacks, sources and rejects,
-- which are defined already, each as the current manifest has it. duckdb.sql has the same for
-- DuckDB. Statements end with a semicolon at a line's end.

-- Each frame of each stack. position counts from the thread's first frame, which is 0,
-- depth_from_leaf from the innermost one.
CREATE OR REPLACE TEMPORARY VIEW frames AS
SELECT stack_id, position, depth - 1 - position AS depth_from_leaf, frame.*
FROM (
  SELECT stack_id, size(frames) AS depth, posexplode(frames) AS (position, frame)
  FROM stacks
);

-- What the views of views.sql need of a stack. functions and libraries have each element once,
-- however often the stack has it, and '[no frames]' is the text of a stack without frames. leaf is
-- the innermost frame, root the first one. Numbers and addresses by which a JVM tells its hidden
-- and generated classes apart are left out, or each JVM would have functions of its own.
-- Of frames, only the fields that a query needs are read, as long as no expression has the whole of
-- it: size(frames) would read all.
CREATE OR REPLACE TEMPORARY VIEW stack_contents AS
SELECT
  stack_id,
  coalesce(nullif(array_join(texts, ';'), ''), '[no frames]') AS stack,
  md5(array_join(texts, ';')) AS stack_hash,
  CASE WHEN size(texts) > 0 THEN array_distinct(texts) ELSE array('[no frames]') END AS functions,
  libraries,
  coalesce(try_element_at(texts, -1), '[no frames]') AS leaf_function,
  leaf_library,
  leaf_build_id,
  root_library
FROM (
  SELECT
    stack_id,
    transform(frames.text, f ->
      CASE WHEN contains(f, '/0x') OR contains(f, '$Proxy') OR contains(f, 'Generated')
           THEN regexp_replace(
             regexp_replace(f, '/0x[0-9a-f]{6,}', ''),
             '([$][$]Lambda|[$]Proxy|Generated[MC][a-z]+Accessor)[$]?[0-9]+', '$1')
           ELSE f END) AS texts,
    filter(array_distinct(arrays_zip(frames.library, frames.build_id)),
           l -> l.library IS NOT NULL) AS libraries,
    try_element_at(frames.library, -1) AS leaf_library,
    try_element_at(frames.build_id, -1) AS leaf_build_id,
    try_element_at(frames.library, 1) AS root_library
  FROM stacks
);
