-- Answers about a fleet, as views that run unchanged in Spark SQL and in DuckDB. They stand on the
-- base views that spark.sql and duckdb.sql define. Statements end with a semicolon at a line's end.
--
-- What holds for all views:
-- - Times are in seconds: CPU seconds, or seconds of one thread that waited.
-- - A function is the text that all exports show, such as inflate_fast [libz.so.1.2.13], without
--   the numbers that a JVM gives to its generated classes. Two builds of a library share their
--   functions' rows, and so do overloaded Java methods. Where a function has no name, as
--   libz.so+0x4970, this may sum up different ones: libraries tells builds apart.
-- - self is what ran in the function itself, total also what it called. A stack counts once for a
--   function, however often the function is in it.
-- - Shares are of all CPU time that was sampled, also that of incomplete stacks. The callers that
--   an incomplete stack lacks get nothing of it: total shares are lower bounds, and complete_share
--   says how much of the time has its whole stack. What was not sampled is in no share: see
--   coverage.
-- - A predicate on service, and on date where a view has it, is evaluated before files are read.
--   Views without a date compare days with each other: for some days alone, replace chosen.

-- The samples that all views are about. To ask about less, replace it:
--   CREATE OR REPLACE TEMPORARY VIEW chosen AS
--   SELECT * FROM samples WHERE date >= DATE '2026-11-20' AND host LIKE 'eu-%'
CREATE OR REPLACE TEMPORARY VIEW chosen AS
SELECT * FROM samples;

-- How much CPU time did each service use on each day, as far as it was sampled?
CREATE OR REPLACE TEMPORARY VIEW service_days AS
SELECT
  service,
  date,
  sum(cpu_ns) / 1e9 AS cpu_s,
  sum(CASE WHEN complete THEN cpu_ns ELSE 0 END) / nullif(sum(cpu_ns), 0) AS complete_share,
  sum(count) AS samples,
  count(DISTINCT host) AS hosts
FROM chosen
WHERE event = 'cpu'
GROUP BY service, date;

-- 1. Which functions take the most CPU time of a service?
-- The sum of self_s over all functions is the CPU time of the service and day, so that shares over
-- several days are sums of self_s or total_s divided by that. It cannot say why a function is
-- called often, nor which of several lines of it is hot: frames has the lines.
CREATE OR REPLACE TEMPORARY VIEW hottest_functions AS
SELECT
  f.service,
  f.date,
  f.function,
  f.self_s,
  f.total_s,
  f.self_s / nullif(d.cpu_s, 0) AS self_share,
  f.total_s / nullif(d.cpu_s, 0) AS total_share,
  f.samples,
  d.complete_share
FROM (
  SELECT
    service,
    date,
    function,
    sum(CASE WHEN function = leaf_function THEN cpu_ns ELSE 0 END) / 1e9 AS self_s,
    sum(cpu_ns) / 1e9 AS total_s,
    sum(samples) AS samples
  FROM (
    SELECT
      c.service, c.date, c.cpu_ns, c.samples, s.leaf_function,
      explode_outer(s.functions) AS function
    FROM (
      SELECT service, date, stack_id, sum(cpu_ns) AS cpu_ns, sum(count) AS samples
      FROM chosen
      WHERE event = 'cpu'
      GROUP BY service, date, stack_id
    ) AS c
    JOIN stack_contents AS s ON s.stack_id = c.stack_id
  ) AS each_function
  GROUP BY service, date, function
) AS f
JOIN service_days AS d ON d.service = f.service AND d.date = f.date;

-- 2. Which libraries take the CPU time of a service, in which builds, on how many hosts?
-- A library without a build id has one row for all its builds. Code in no library (Java, the
-- kernel, what the JVM generates) has no row, so that self shares sum up to less than 1.
CREATE OR REPLACE TEMPORARY VIEW libraries AS
SELECT
  l.service,
  l.date,
  l.library,
  l.build_id,
  l.self_s,
  l.total_s,
  l.self_s / nullif(d.cpu_s, 0) AS self_share,
  l.total_s / nullif(d.cpu_s, 0) AS total_share,
  l.hosts,
  d.hosts AS hosts_of_service
FROM (
  SELECT
    service,
    date,
    library.library AS library,
    coalesce(library.build_id, '') AS build_id,
    sum(CASE WHEN library.library = leaf_library
              AND coalesce(library.build_id, '') = coalesce(leaf_build_id, '')
             THEN cpu_ns ELSE 0 END) / 1e9 AS self_s,
    sum(cpu_ns) / 1e9 AS total_s,
    count(DISTINCT host) AS hosts
  FROM (
    SELECT
      c.service, c.date, c.host, c.cpu_ns, s.leaf_library, s.leaf_build_id,
      explode(s.libraries) AS library
    FROM (
      SELECT service, date, host, stack_id, sum(cpu_ns) AS cpu_ns
      FROM chosen
      WHERE event = 'cpu'
      GROUP BY service, date, host, stack_id
    ) AS c
    JOIN stack_contents AS s ON s.stack_id = c.stack_id
  ) AS each_library
  GROUP BY service, date, library.library, coalesce(library.build_id, '')
) AS l
JOIN service_days AS d ON d.service = l.service AND d.date = l.date;

-- 3. Which functions take a larger or smaller share since a version of a service?
-- Compares each version with the one that was seen first before it: total shares, with their
-- difference and its 95 % interval (Newcombe's of two independent shares, 1998). is_sure means that
-- the interval is without 0 and of more than a few samples. Of functions that have not changed, one
-- in twenty is sure by chance.
-- The interval assumes that samples are independent, and that all differ in nothing but their
-- version. With samples of unequal weight it counts as many as would be worth the same
-- (L. Kish: the square of the sum of weights by the sum of their squares). It is too narrow if load
-- or hosts changed with the version: look for days on which both ran, and see hosts_that_differ.
-- A version that became slower everywhere has the same shares: compare CPU time per request, too.
CREATE OR REPLACE TEMPORARY VIEW regressions AS
WITH versions AS (
  SELECT
    service,
    version,
    min(minute) AS first_minute,
    sum(cpu_ns / 1e9) AS cpu_s,
    pow(sum(cpu_ns / 1e9), 2) / nullif(sum(squares / 1e18), 0) AS worth
  FROM chosen
  WHERE event = 'cpu' AND version IS NOT NULL
  GROUP BY service, version
),
pairs AS (
  SELECT
    service,
    lag(version) OVER (PARTITION BY service ORDER BY first_minute, version) AS version_before,
    version AS version_after,
    lag(cpu_s) OVER (PARTITION BY service ORDER BY first_minute, version) AS cpu_s_before,
    cpu_s AS cpu_s_after,
    lag(worth) OVER (PARTITION BY service ORDER BY first_minute, version) AS worth_before,
    worth AS worth_after
  FROM versions
),
functions AS (
  SELECT
    service,
    version,
    function,
    sum(CASE WHEN function = leaf_function THEN cpu_s ELSE 0 END) AS self_s,
    sum(cpu_s) AS total_s
  FROM (
    SELECT c.service, c.version, c.cpu_s, s.leaf_function, explode_outer(s.functions) AS function
    FROM (
      SELECT service, version, stack_id, sum(cpu_ns / 1e9) AS cpu_s
      FROM chosen
      WHERE event = 'cpu'
      GROUP BY service, version, stack_id
    ) AS c
    JOIN stack_contents AS s ON s.stack_id = c.stack_id
  ) AS each_function
  GROUP BY service, version, function
),
shares AS (
  SELECT
    p.service,
    p.version_before,
    p.version_after,
    f.function,
    sum(CASE WHEN s.side = 0 THEN f.self_s ELSE 0 END) / max(p.cpu_s_before) AS self_before,
    sum(CASE WHEN s.side = 1 THEN f.self_s ELSE 0 END) / max(p.cpu_s_after) AS self_after,
    least(1e0, sum(CASE WHEN s.side = 0 THEN f.total_s ELSE 0 END) / max(p.cpu_s_before))
      AS share_before,
    least(1e0, sum(CASE WHEN s.side = 1 THEN f.total_s ELSE 0 END) / max(p.cpu_s_after))
      AS share_after,
    max(p.worth_before) AS worth_before,
    max(p.worth_after) AS worth_after
  FROM pairs AS p
  CROSS JOIN (VALUES (0), (1)) AS s(side)
  JOIN functions AS f
    ON f.service = p.service
   AND f.version = CASE WHEN s.side = 0 THEN p.version_before ELSE p.version_after END
  WHERE p.cpu_s_before > 0 AND p.cpu_s_after > 0
  GROUP BY p.service, p.version_before, p.version_after, f.function
),
-- Wilson's interval of each of both shares (1927), with the square of the normal distribution's
-- quantile, 3.841459.
wilson AS (
  SELECT
    shares.*,
    (share_before + 1.9207295e0 / worth_before) / (1 + 3.841459e0 / worth_before) AS middle_before,
    sqrt(3.841459e0 * (share_before * (1 - share_before) + 0.96036475e0 / worth_before)
      / worth_before) / (1 + 3.841459e0 / worth_before) AS half_before,
    (share_after + 1.9207295e0 / worth_after) / (1 + 3.841459e0 / worth_after) AS middle_after,
    sqrt(3.841459e0 * (share_after * (1 - share_after) + 0.96036475e0 / worth_after)
      / worth_after) / (1 + 3.841459e0 / worth_after) AS half_after
  FROM shares
),
differences AS (
  SELECT
    wilson.*,
    share_after - share_before AS difference,
    share_after - share_before - sqrt(
      pow(share_after - middle_after + half_after, 2)
      + pow(middle_before + half_before - share_before, 2)) AS low,
    share_after - share_before + sqrt(
      pow(middle_after + half_after - share_after, 2)
      + pow(share_before - middle_before + half_before, 2)) AS high
  FROM wilson
)
SELECT
  service,
  version_before,
  version_after,
  function,
  share_before,
  share_after,
  difference,
  low,
  high,
  CASE WHEN difference > 0
       THEN low > 0 AND share_after * worth_after >= 5 AND (1 - share_before) * worth_before >= 5
       ELSE high < 0 AND share_before * worth_before >= 5 AND (1 - share_after) * worth_after >= 5
       END AS is_sure,
  self_before,
  self_after,
  worth_before,
  worth_after
FROM differences;

-- 4. On which hosts does a library take another share than on the other hosts of its service?
-- Compares hosts of the same version. standardised is the difference from the mean of the other
-- hosts, in units of what is to be expected: of their spread, or of what chance gives with so many
-- samples, whichever is larger. By chance, one row in 600 is above 4 if there are ten others, and
-- one in 30,000 if there are very many. With few others the spread is a rough guess, with one there
-- is none. It cannot say why: another build (see libraries), another processor, other requests. A
-- host that differs much hides smaller ones.
CREATE OR REPLACE TEMPORARY VIEW hosts_that_differ AS
WITH hosts AS (
  SELECT
    service,
    coalesce(version, '') AS version,
    host,
    sum(cpu_ns / 1e9) AS cpu_s,
    pow(sum(cpu_ns / 1e9), 2) / nullif(sum(squares / 1e18), 0) AS worth
  FROM chosen
  WHERE event = 'cpu' AND host IS NOT NULL
  GROUP BY service, coalesce(version, ''), host
  HAVING sum(cpu_ns) > 0
),
-- What all hosts have together.
whole AS (
  SELECT service, version, count(*) AS hosts, sum(cpu_s) AS cpu_s
  FROM hosts
  GROUP BY service, version
),
-- Each host's share of each library that it ran, and of code in no library, which has no name.
parts AS (
  SELECT
    service,
    version,
    host,
    library,
    cpu_s,
    cpu_s / nullif(sum(cpu_s) OVER (PARTITION BY service, version, host), 0) AS share
  FROM (
    SELECT c.service, c.version, c.host, s.leaf_library AS library, sum(c.cpu_s) AS cpu_s
    FROM (
      SELECT
        service, coalesce(version, '') AS version, host, stack_id, sum(cpu_ns / 1e9) AS cpu_s
      FROM chosen
      WHERE event = 'cpu' AND host IS NOT NULL
      GROUP BY service, coalesce(version, ''), host, stack_id
    ) AS c
    LEFT JOIN stack_contents AS s ON s.stack_id = c.stack_id
    GROUP BY c.service, c.version, c.host, s.leaf_library
  ) AS each_library
),
-- Hosts without the library add nothing to these sums.
sums AS (
  SELECT
    service,
    version,
    library,
    sum(cpu_s) AS cpu_s,
    sum(share) AS shares,
    sum(pow(share, 2)) AS squares
  FROM parts
  WHERE library IS NOT NULL
  GROUP BY service, version, library
),
others AS (
  SELECT
    h.service,
    h.version,
    h.host,
    s.library,
    coalesce(p.share, 0) AS share,
    (s.cpu_s - coalesce(p.cpu_s, 0)) / nullif(w.cpu_s - h.cpu_s, 0) AS share_of_others,
    (s.shares - coalesce(p.share, 0)) / (w.hosts - 1) AS mean_of_others,
    s.squares - pow(coalesce(p.share, 0), 2) AS squares_of_others,
    s.shares / w.hosts AS mean_of_all,
    w.hosts - 1 AS others,
    h.cpu_s,
    h.worth
  FROM hosts AS h
  JOIN whole AS w ON w.service = h.service AND w.version = h.version
  JOIN sums AS s ON s.service = h.service AND s.version = h.version
  LEFT JOIN parts AS p
    ON p.service = h.service AND p.version = h.version AND p.host = h.host
   AND p.library = s.library
  WHERE w.hosts > 1
)
SELECT
  service,
  version,
  host,
  library,
  share,
  share_of_others,
  share - mean_of_others AS difference,
  (share - mean_of_others) / nullif(sqrt(
    greatest(
      (squares_of_others - others * pow(mean_of_others, 2)) / nullif(others - 1, 0),
      mean_of_all * (1 - mean_of_all) / worth,
      0e0)
    * (1 + 1e0 / others)), 0) AS standardised,
  others,
  cpu_s
FROM others;

-- 5. Which functions take a larger or smaller share of a service from day to day?
-- slope is the change of the total share a day, of the straight line that fits the days best
-- (least squares). A day on which the service was sampled and the function was not has the share 0.
-- A slope of less than two standard errors may be chance, and with two days there is no error. A
-- line says little of a single step: hottest_functions has the share of each day, and regressions
-- compares versions. Shares grow, too, if something else got cheaper.
CREATE OR REPLACE TEMPORARY VIEW growth AS
SELECT
  service,
  function,
  share_on_first_date,
  share_on_last_date,
  slope,
  sqrt(greatest(0e0, squares - days * pow(share, 2) - pow(slope, 2) * spread)
    / nullif(days - 2, 0) / spread) AS standard_error,
  share AS mean_share,
  first_date,
  last_date,
  days
FROM (
  SELECT
    f.service,
    f.function,
    sum(CASE WHEN f.date = d.first_date THEN f.total_share ELSE 0 END) AS share_on_first_date,
    sum(CASE WHEN f.date = d.last_date THEN f.total_share ELSE 0 END) AS share_on_last_date,
    sum((unix_date(f.date) - d.middle) * f.total_share) / max(d.spread) AS slope,
    sum(f.total_share) / max(d.days) AS share,
    sum(pow(f.total_share, 2)) AS squares,
    max(d.spread) AS spread,
    max(d.days) AS days,
    max(d.first_date) AS first_date,
    max(d.last_date) AS last_date
  FROM hottest_functions AS f
  JOIN (
    SELECT
      service,
      min(date) AS first_date,
      max(date) AS last_date,
      count(*) AS days,
      avg(unix_date(date)) AS middle,
      sum(unix_date(date) * unix_date(date))
        - sum(unix_date(date)) * sum(unix_date(date)) / count(*) AS spread
    FROM service_days
    WHERE cpu_s > 0
    GROUP BY service
    HAVING count(*) > 1
  ) AS d ON d.service = f.service
  GROUP BY f.service, f.function
) AS lines;

-- 6. Which libraries take CPU time in functions that have no name, and on how many hosts?
-- Of the code in the library itself, as far as it was the innermost frame. Such functions are
-- called by their place, as in libz.so.1.2.13+0x4970: Symbolize names them from the debug file of
-- that build id. A name that is there may still be that of another function, where only some of the
-- library's symbols were kept.
CREATE OR REPLACE TEMPORARY VIEW missing_symbols AS
SELECT
  m.service,
  m.date,
  m.library,
  m.build_id,
  m.unnamed_s,
  m.unnamed_s / nullif(m.self_s, 0) AS share_of_library,
  m.unnamed_s / nullif(d.cpu_s, 0) AS share_of_service,
  m.hosts
FROM (
  SELECT
    c.service,
    c.date,
    s.leaf_library AS library,
    coalesce(s.leaf_build_id, '') AS build_id,
    sum(c.cpu_ns) / 1e9 AS self_s,
    sum(CASE WHEN s.leaf_function LIKE '_% [%]' THEN 0 ELSE c.cpu_ns END) / 1e9 AS unnamed_s,
    count(DISTINCT c.host) AS hosts
  FROM (
    SELECT service, date, host, stack_id, sum(cpu_ns) AS cpu_ns
    FROM chosen
    WHERE event = 'cpu'
    GROUP BY service, date, host, stack_id
  ) AS c
  JOIN stack_contents AS s ON s.stack_id = c.stack_id
  WHERE s.leaf_library IS NOT NULL
  GROUP BY c.service, c.date, s.leaf_library, coalesce(s.leaf_build_id, '')
) AS m
JOIN service_days AS d ON d.service = m.service AND d.date = m.date
WHERE m.unnamed_s > 0;

-- 7. What did the threads of a service wait for, and for how long?
-- Seconds of all threads together, from recordings with --wall. Most is usually a pool's idle
-- threads, which cost nothing: look at the threads and stacks of a state. It cannot say which wait
-- made a request slow. Shares are of the time of waiting alone.
CREATE OR REPLACE TEMPORARY VIEW waiting AS
SELECT
  w.service,
  w.date,
  w.state,
  w.wall_s,
  w.wall_s / nullif(a.wall_s, 0) AS share,
  w.samples
FROM (
  SELECT service, date, state, sum(wall_ns) / 1e9 AS wall_s, sum(count) AS samples
  FROM chosen
  WHERE event = 'waiting'
  GROUP BY service, date, state
) AS w
JOIN (
  SELECT service, date, sum(wall_ns) / 1e9 AS wall_s
  FROM chosen
  WHERE event = 'waiting'
  GROUP BY service, date
) AS a ON a.service = w.service AND a.date = w.date;

-- 8. How many cores did each service keep busy on each host, minute by minute?
-- Only what was sampled: a minute in which a recording began or ended has too little, and one
-- without recordings no row.
CREATE OR REPLACE TEMPORARY VIEW cores_by_minute AS
SELECT
  service,
  date,
  host,
  minute,
  sum(cpu_ns) / 60e9 AS cores,
  count(DISTINCT session) AS processes
FROM chosen
WHERE event = 'cpu'
GROUP BY service, date, host, minute;

-- 9. Which whole stacks take the most CPU time of a service?
-- The first 100 of each service and day, from the thread's first frame to the innermost. Stacks
-- with the same text are one, whatever their lines and builds.
CREATE OR REPLACE TEMPORARY VIEW top_stacks AS
SELECT
  r.service,
  r.date,
  r.place,
  r.cpu_ns / 1e9 AS cpu_s,
  r.cpu_ns / 1e9 / nullif(d.cpu_s, 0) AS share,
  r.samples,
  r.complete_ns / nullif(r.cpu_ns, 0) AS complete_share,
  s.stack
FROM (
  SELECT
    sums.*,
    row_number() OVER (PARTITION BY service, date ORDER BY cpu_ns DESC, stack_hash) AS place
  FROM (
    SELECT
      c.service,
      c.date,
      h.stack_hash,
      min(c.stack_id) AS stack_id,
      sum(c.cpu_ns) AS cpu_ns,
      sum(c.complete_ns) AS complete_ns,
      sum(c.samples) AS samples
    FROM (
      SELECT
        service,
        date,
        stack_id,
        sum(cpu_ns) AS cpu_ns,
        sum(CASE WHEN complete THEN cpu_ns ELSE 0 END) AS complete_ns,
        sum(count) AS samples
      FROM chosen
      WHERE event = 'cpu'
      GROUP BY service, date, stack_id
    ) AS c
    JOIN stack_contents AS h ON h.stack_id = c.stack_id
    GROUP BY c.service, c.date, h.stack_hash
  ) AS sums
) AS r
JOIN stack_contents AS s ON s.stack_id = r.stack_id
JOIN service_days AS d ON d.service = r.service AND d.date = r.date
WHERE r.place <= 100;

-- 10. Which functions cause the page faults, allocations or other events of a service?
-- Weights are numbers of events, or bytes where the event has a size. Shares are of the event's
-- weight of the service and day, and self and total are as for CPU time. Only services whose
-- recordings ask for an event have rows of it.
CREATE OR REPLACE TEMPORARY VIEW events_by_function AS
SELECT
  f.service,
  f.date,
  f.event,
  f.function,
  f.self_weight,
  f.total_weight,
  f.self_weight / nullif(a.weight, 0) AS self_share,
  f.total_weight / nullif(a.weight, 0) AS total_share,
  f.samples
FROM (
  SELECT
    service,
    date,
    event,
    function,
    sum(CASE WHEN function = leaf_function THEN weight ELSE 0 END) AS self_weight,
    sum(weight) AS total_weight,
    sum(samples) AS samples
  FROM (
    SELECT
      c.service, c.date, c.event, c.weight, c.samples, s.leaf_function,
      explode_outer(s.functions) AS function
    FROM (
      SELECT service, date, event, stack_id, sum(weight) AS weight, sum(count) AS samples
      FROM chosen
      WHERE event NOT IN ('cpu', 'waiting')
      GROUP BY service, date, event, stack_id
    ) AS c
    JOIN stack_contents AS s ON s.stack_id = c.stack_id
  ) AS each_function
  GROUP BY service, date, event, function
) AS f
JOIN (
  SELECT service, date, event, sum(weight) AS weight
  FROM chosen
  WHERE event NOT IN ('cpu', 'waiting')
  GROUP BY service, date, event
) AS a ON a.service = f.service AND a.date = f.date AND a.event = f.event;

-- How far can the views be trusted? Where is the CPU time that the JVMs of a service used?
-- In complete stacks, in stacks that end too early (why, and in which library the walk ended), or
-- in no sample (what the JVMs used and no sample stands for). The last is said of whole recordings,
-- and taken to be even in each. sources has what else was lost, and rejects the recordings that
-- could not be read: those are nowhere else.
CREATE OR REPLACE TEMPORARY VIEW coverage AS
SELECT
  service,
  date,
  what,
  library,
  sum(cpu_s) AS cpu_s,
  sum(cpu_s) / nullif(sum(sum(cpu_s)) OVER (PARTITION BY service, date), 0) AS share_of_used
FROM (
  SELECT
    c.service,
    c.date,
    CASE WHEN c.complete THEN 'complete stack' ELSE c.end_reason END AS what,
    coalesce(s.root_library, '') AS library,
    c.cpu_s
  FROM (
    SELECT
      service,
      date,
      complete,
      CASE WHEN complete THEN '' ELSE end_reason END AS end_reason,
      CASE WHEN complete THEN '' ELSE stack_id END AS stack_id,
      sum(cpu_ns) / 1e9 AS cpu_s
    FROM chosen
    WHERE event = 'cpu'
    GROUP BY
      service,
      date,
      complete,
      CASE WHEN complete THEN '' ELSE end_reason END,
      CASE WHEN complete THEN '' ELSE stack_id END
  ) AS c
  LEFT JOIN stack_contents AS s ON s.stack_id = c.stack_id
  UNION ALL
  SELECT
    c.service,
    c.date,
    'no sample' AS what,
    '' AS library,
    c.cpu_s * (r.cpu_used_ns - r.cpu_covered_ns) / r.cpu_covered_ns AS cpu_s
  FROM (
    SELECT service, date, source, sum(cpu_ns) / 1e9 AS cpu_s
    FROM chosen
    WHERE event = 'cpu'
    GROUP BY service, date, source
  ) AS c
  JOIN sources AS r ON r.source = c.source
  WHERE r.cpu_used_ns > r.cpu_covered_ns AND r.cpu_covered_ns > 0
) AS parts
GROUP BY service, date, what, library;
