/** Icons of the server's tools, for the menu: a picture of what the page shows, on the grid of `components/icons.tsx`. */

import { Icon } from "../components/icons";
import type { Page } from "../tools/contract";

/** Paths by the ids of tools. */
const PATHS: Readonly<Record<string, string>> = {
  overview: "M2.5 2.5h5v5h-5zM9.5 2.5h4v3h-4zM9.5 7.5h4v6h-4zM2.5 9.5h5v4h-5z",
  steps: "M2 12.5h3v-4h3.5v-4H12V2M12 2h2",
  step_trace: "M2 5h12M2 11h12M4.5 3v4M9 3v4M6.5 9v4M12 9v4",
  op_profile: "M2 3.5h12M4.5 8H14M7 12.5h7M2 3.5v9",
  framework_ops: "M5.5 3L2.5 8l3 5M10.5 3l3 5-3 5",
  operators: "M3 3h4v4H3zM9 9h4v4H9zM7 5h4v4",
  kernels: "M4.5 4.5h7v7h-7zM6.5 2v2.5M9.5 2v2.5M6.5 11.5V14M9.5 11.5V14M2 6.5h2.5M2 9.5h2.5M11.5 6.5H14M11.5 9.5H14",
  flops: "M2.5 11.5a5.5 5.5 0 1 1 11 0M8 11.5l3-4",
  dynamic_shape: "M2.5 2.5h5v5h-5zM6 6h7.5v7.5H6z",
  compare: "M2.5 13V6h3v7M7.5 13V3h3v10M12 5.5h2.5M13.2 4.2v2.6",
  call_tree: "M2 3h12M2 7h8M2 11h5M11.5 7H14",
  stats: "M3 13V8M7 13V3M11 13V6M2 13.5h12",
  input_pipeline: "M2 4h5v8H2zM9.5 8H14M11.8 5.5L14.2 8l-2.4 2.5",
  gaps: "M2 5.5h4v5H2zM10 5.5h4v5h-4zM7 8h2",
  overlap: "M2 4h8v3.5H2zM6 8.5h8V12H6z",
  queues: "M2 5h2.5v6H2zM6 5h2.5v6H6zM10 5h2.5v6H10z",
  launches: "M2 3h4v3H2zM10 10h4v3h-4zM6 4.5h2.5v7H10M8 9.5l2 2-2 2",
  copies: "M2 2.5h7v7H2zM7 9.5v4h7v-7H9.5M4 6h3",
  critical_path: "M2 4h4v4h4v4h4M9 4h5M2 12h5",
  pod: "M2.5 2.5h3v3h-3zM10.5 2.5h3v3h-3zM2.5 10.5h3v3h-3zM10.5 10.5h3v3h-3zM5.5 4h5M5.5 12h5M4 5.5v5M12 5.5v5",
  heat_map: "M2 4h3M7 4h7M2 8h8M12 8h2M2 12h5M9.5 12h.1M12.5 12H14",
  collectives: "M8 2.5v3M8 10.5v3M2.5 8h3M10.5 8h3M5.5 5.5h5v5h-5z",
  flows: "M2.5 4h3c5 0 0 8 5 8h3M11.5 9.8l2.2 2.2-2.2 2.2",
  cpu: "M4 4h8v8H4zM6.5 6.5h3v3h-3z",
  memory_profile: "M2 13V9l3-4 3 2.5 3-4.5 3 3v7z",
  memory_viewer: "M2.5 3h11v10h-11zM2.5 6.5h7v3h4M9.5 6.5V3",
  hlo_stats: "M2.5 3h11v10h-11zM2.5 6.3h11M6.5 6.3V13",
  graph: "M6 2.5h4v3H6zM2 10.5h4v3H2zM10 10.5h4v3h-4zM7 5.5l-3 5M9 5.5l3 5",
  model_graph: "M2.5 2.5h4v4h-4zM9.5 9.5h4v4h-4zM6.5 4.5h5v5",
  roofline: "M2 13L8 5.5h6M4.5 12.5h.1M8 9h.1M11 8.5h.1",
  counters: "M2 12h3V7h3v3h3V4h3",
  search: "M11 7a4 4 0 1 1-8 0 4 4 0 0 1 8 0zM10 10l3.5 3.5",
  find: "M3 12.5L6 4l3 8.5M4 9.8h4M11 6.5h3M11 9.5h3",
  hit_bins: "M2.5 13V9M5.5 13V5M8.5 13v-3M11.5 13V3M13.5 13v-2",
  events: "M2.5 3v10M6.2 3v10M9.8 3v10M13.5 3v10",
  query: "M2.5 3h11v10h-11zM5 6.5L7 8.5l-2 2M8.5 10.5h2.5",
  tables: "M2.5 3h11v10h-11zM2.5 6.3h11M2.5 9.6h11M8 3v10",
  nesting: "M2 3.5h12v9H2zM4.5 6h7v4h-7z",
  rank: "M2 13.5h12M3.5 13V9.5M6.5 13V4.5M9.5 13V7M12.5 13v-2.5",
  bins: "M2 8h3v5H2zM6.5 4h3v9h-3zM11 10h3v3h-3z",
  lanes: "M2 4h12M2 8h12M2 12h12",
  lane_bins: "M2 4h12M3 13v-3M6 13V8M9 13v-4M12 13V9",
  lane_events: "M2 4h12M4 9v3M8 9v3M12 9v3",
  imported: "M4 2.5h5l3 3v8H4zM8 6v4.5M6 8.8l2 2 2-2",
};

/** Icon of a page; of a tool of another package that of the page. */
export function PageIcon({ page }: { page: Page }) {
  const path = PATHS[page.id];
  const Own = page.icon;
  return path === undefined ? (
    <Own />
  ) : (
    <Icon>
      <path d={path} />
    </Icon>
  );
}
