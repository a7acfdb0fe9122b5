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
-- however often the stack has it, and '[no stack]' is the text of a stack without frames. leaf is
-- the innermost frame, root the first one. Of frames, only the fields that a query needs are read,
-- as long as no expression has the whole of it: size(frames) would read all.
CREATE OR REPLACE TEMPORARY VIEW stack_contents AS
SELECT
  stack_id,
  coalesce(nullif(array_join(frames.text, ';'), ''), '[no stack]') AS stack,
  CASE WHEN size(frames.text) > 0 THEN array_distinct(frames.text)
       ELSE array('[no stack]') END AS functions,
  filter(array_distinct(arrays_zip(frames.library, frames.build_id)),
         l -> l.library IS NOT NULL) AS libraries,
  coalesce(try_element_at(frames.text, -1), '[no stack]') AS leaf_function,
  try_element_at(frames.library, -1) AS leaf_library,
  try_element_at(frames.build_id, -1) AS leaf_build_id,
  try_element_at(frames.library, 1) AS root_library
FROM stacks;
