/** Statements to begin with; `tests/docs` runs them against a trace. */

export interface Recipe {
  readonly title: string;
  readonly sql: string;
}

export const RECIPES: readonly Recipe[] = [
  {
    title: "Names that take the most time",
    sql: "select name, count(*) as count, sum(duration) as duration\nfrom slices group by name order by duration desc limit 20",
  },
  {
    title: "Longest slices",
    sql: "select name, track, start, duration, ordinal\nfrom slices order by duration desc limit 50",
  },
  {
    title: "What each track is busy with",
    sql: "select t.path, t.name, count(*) as slices, sum(s.duration) as duration\nfrom slices s join tracks t on t.id = s.track\ngroup by all order by duration desc limit 100",
  },
  {
    title: "Spread of durations",
    sql: "select name, count(*) as count, min(duration)::bigint as least, median(duration) as p50,\n  quantile_cont(duration, 0.99) as p99, max(duration) as most\nfrom slices group by name having count(*) > 10 order by p99 - p50 desc limit 20",
  },
  {
    title: "Steps, and their time above the median",
    sql: "select step, min(start) as start, max(duration) as duration,\n  max(duration) - median(max(duration)) over () as above_median\nfrom steps group by step order by step",
  },
  {
    title: "Time by category",
    sql: "select category, sum(duration) as duration from slices group by category order by duration desc",
  },
  {
    title: "Counters: least, mean and greatest",
    sql: "select t.name, count(*) as samples, min(c.value) as least, avg(c.value) as mean, max(c.value) as greatest\nfrom counters c join tracks t on t.id = c.track group by t.name order by t.name",
  },
];
