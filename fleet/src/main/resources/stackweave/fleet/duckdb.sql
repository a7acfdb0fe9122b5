-- The base views for DuckDB 1.3 or later. Before it is read, the variable fleet says where the
-- tables are, as by SET VARIABLE fleet = '/data/fleet'. The views show what the manifest that is
-- current now names, until this file is read again. views.sql stands on them. Statements end with
-- a semicolon at a line's end.

-- Minutes are shown, and become dates, in UTC, as in the directories' names.
SET TimeZone = 'UTC';

-- Functions of Spark SQL that views.sql uses. A list that explode_outer is given must not be empty:
-- Spark has a row for it. There it costs less than explode, which looks for empty lists first.
CREATE OR REPLACE TEMPORARY MACRO explode(list) AS unnest(list);

CREATE OR REPLACE TEMPORARY MACRO explode_outer(list) AS unnest(list);

CREATE OR REPLACE TEMPORARY MACRO unix_date(day) AS day - DATE '1970-01-01';

-- A path as a pattern that fits this path alone.
CREATE OR REPLACE TEMPORARY MACRO fleet_pattern(path) AS
  regexp_replace(path, '([[*?])', '[\1]', 'g');

SET VARIABLE fleet_manifests =
  coalesce(fleet_pattern(getvariable('fleet')), error('first: SET VARIABLE fleet = ''/path'''))
  || '/manifests/manifest-*.json';

-- The highest number is that of the current one, and names sort as numbers do.
SET VARIABLE fleet_manifest = (
  SELECT coalesce(max(file), error(getvariable('fleet') || ' has no tables: Ingest makes them'))
  FROM glob(getvariable('fleet_manifests'))
);

SET VARIABLE fleet_manifest = fleet_pattern(getvariable('fleet_manifest'));

SET VARIABLE fleet_manifest = (SELECT content FROM read_text(getvariable('fleet_manifest')));

SET VARIABLE fleet_version = (
  SELECT CASE WHEN version = 1 THEN version
    ELSE error('the tables are of version ' || version || ', and this file knows version 1') END
  FROM (SELECT json_extract(getvariable('fleet_manifest'), '$.version')::INTEGER AS version)
);

-- Patterns of a table's files. Those of a service or a day are told by their directories, so that
-- a query with a predicate on them reads no others.
CREATE OR REPLACE TEMPORARY MACRO fleet_patterns(key) AS list_transform(
  json_extract_string(getvariable('fleet_manifest'), '$.' || key || '[*]'),
  lambda directory: fleet_pattern(getvariable('fleet') || '/' || directory) || '/**/*.parquet'
);

SET VARIABLE fleet_samples = fleet_patterns('samples');

SET VARIABLE fleet_stacks = fleet_patterns('stacks');

SET VARIABLE fleet_sources = fleet_patterns('sources');

SET VARIABLE fleet_rejects = fleet_patterns('rejects');

SET VARIABLE fleet_samples = (SELECT list(file) FROM glob(getvariable('fleet_samples')));

SET VARIABLE fleet_stacks = (SELECT list(file) FROM glob(getvariable('fleet_stacks')));

SET VARIABLE fleet_sources = (SELECT list(file) FROM glob(getvariable('fleet_sources')));

SET VARIABLE fleet_rejects = (SELECT list(file) FROM glob(getvariable('fleet_rejects')));

-- Tables without rows, for a fleet that has no files of one: with these columns, as with files.
CREATE OR REPLACE TEMPORARY TABLE fleet_no_samples (
  version VARCHAR, host VARCHAR, pid BIGINT, session VARCHAR, source VARCHAR,
  minute TIMESTAMP WITH TIME ZONE, thread VARCHAR, state VARCHAR, event VARCHAR,
  labels MAP(VARCHAR, VARCHAR), stack_id VARCHAR, end_reason VARCHAR, complete BOOLEAN,
  cpu_ns BIGINT, wall_ns BIGINT, weight BIGINT, count BIGINT, squares DOUBLE,
  service VARCHAR, date DATE, batch VARCHAR
);

CREATE OR REPLACE TEMPORARY TABLE fleet_no_stacks (
  stack_id VARCHAR,
  frames STRUCT(
    kind VARCHAR, class VARCHAR, function VARCHAR, descriptor VARCHAR, library VARCHAR,
    path VARCHAR, build_id VARCHAR, "offset" BIGINT, file VARCHAR, line INTEGER, inlined BOOLEAN,
    guessed BOOLEAN, found VARCHAR, text VARCHAR)[],
  batch VARCHAR
);

CREATE OR REPLACE TEMPORARY TABLE fleet_no_sources (
  source VARCHAR, path VARCHAR, size BIGINT, modified TIMESTAMP WITH TIME ZONE, sha256 VARCHAR,
  bytes BIGINT, read_at TIMESTAMP WITH TIME ZONE, service VARCHAR, version VARCHAR, host VARCHAR, pid BIGINT,
  session VARCHAR, sessions INTEGER, jdk VARCHAR, agent_version VARCHAR,
  first TIMESTAMP WITH TIME ZONE, last TIMESTAMP WITH TIME ZONE, samples BIGINT,
  unresolved BIGINT, lost BIGINT, cpu_used_ns BIGINT, cpu_covered_ns BIGINT,
  cpu_missed_ns BIGINT, losses VARCHAR, figures MAP(VARCHAR, BIGINT), batch VARCHAR
);

CREATE OR REPLACE TEMPORARY TABLE fleet_no_rejects (
  path VARCHAR, size BIGINT, modified TIMESTAMP WITH TIME ZONE, sha256 VARCHAR,
  read_at TIMESTAMP WITH TIME ZONE, reason VARCHAR, batch VARCHAR
);

-- The base views. The types of what is in directories' names are said, or a service named 2024
-- would be a number.
CREATE OR REPLACE TEMPORARY VIEW samples AS
SELECT
  version, host, pid, session, source, minute, thread, state, event, labels, stack_id, end_reason,
  complete, cpu_ns, wall_ns, weight, count, squares, service, date, batch
FROM query(CASE WHEN len(getvariable('fleet_samples')) > 0
  THEN 'FROM read_parquet(getvariable(''fleet_samples''), hive_partitioning = true,
    hive_types = {''batch'': VARCHAR, ''service'': VARCHAR, ''date'': DATE})'
  ELSE 'FROM fleet_no_samples' END);

CREATE OR REPLACE TEMPORARY VIEW stacks AS
SELECT stack_id, frames, batch
FROM query(CASE WHEN len(getvariable('fleet_stacks')) > 0
  THEN 'FROM read_parquet(getvariable(''fleet_stacks''), hive_partitioning = true,
    hive_types = {''batch'': VARCHAR})'
  ELSE 'FROM fleet_no_stacks' END);

CREATE OR REPLACE TEMPORARY VIEW sources AS
SELECT
  source, path, size, modified, sha256, bytes, read_at, service, version, host, pid, session, sessions,
  jdk, agent_version, first, last, samples, unresolved, lost, cpu_used_ns, cpu_covered_ns,
  cpu_missed_ns, losses, figures, batch
FROM query(CASE WHEN len(getvariable('fleet_sources')) > 0
  THEN 'FROM read_parquet(getvariable(''fleet_sources''), hive_partitioning = true,
    hive_types = {''batch'': VARCHAR})'
  ELSE 'FROM fleet_no_sources' END);

CREATE OR REPLACE TEMPORARY VIEW rejects AS
SELECT path, size, modified, sha256, read_at, reason, batch
FROM query(CASE WHEN len(getvariable('fleet_rejects')) > 0
  THEN 'FROM read_parquet(getvariable(''fleet_rejects''), hive_partitioning = true,
    hive_types = {''batch'': VARCHAR})'
  ELSE 'FROM fleet_no_rejects' END);

-- Each frame of each stack. position counts from the thread's first frame, which is 0,
-- depth_from_leaf from the innermost one.
CREATE OR REPLACE TEMPORARY VIEW frames AS
SELECT stack_id, position, depth - 1 - position AS depth_from_leaf, frame.*
FROM (
  SELECT
    stack_id, len(frames) AS depth, generate_subscripts(frames, 1) - 1 AS position,
    unnest(frames) AS frame
  FROM stacks
);

-- What the views of views.sql need of a stack. functions and libraries have each element once,
-- however often the stack has it, and '[no frames]' is the text of a stack without frames. leaf is
-- the innermost frame, root the first one. Numbers and addresses by which a JVM tells its hidden
-- and generated classes apart are left out, or each JVM would have functions of its own.
CREATE OR REPLACE TEMPORARY VIEW stack_contents AS
SELECT
  stack_id,
  coalesce(nullif(array_to_string(texts, ';'), ''), '[no frames]') AS stack,
  md5(array_to_string(texts, ';')) AS stack_hash,
  CASE WHEN len(texts) > 0 THEN list_distinct(texts) ELSE ['[no frames]'] END AS functions,
  libraries,
  coalesce(texts[-1], '[no frames]') AS leaf_function,
  leaf_library,
  leaf_build_id,
  root_library
FROM (
  SELECT
    stack_id,
    list_transform(frames, lambda f:
      CASE WHEN contains(f.text, '/0x') OR contains(f.text, '$Proxy')
             OR contains(f.text, 'Generated')
           THEN regexp_replace(
             regexp_replace(f.text, '/0x[0-9a-f]{6,}', '', 'g'),
             '([$][$]Lambda|[$]Proxy|Generated[MC][a-z]+Accessor)[$]?[0-9]+', '\1', 'g')
           ELSE f.text END) AS texts,
    list_distinct(list_transform(
      list_filter(frames, lambda f: f.library IS NOT NULL),
      lambda f: {'library': f.library, 'build_id': f.build_id})) AS libraries,
    frames[-1].library AS leaf_library,
    frames[-1].build_id AS leaf_build_id,
    frames[1].library AS root_library
  FROM stacks
);
