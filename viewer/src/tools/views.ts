/** Views for tools of the server; tools without one are shown by form and answer. Loaded with the first of them. */

import type { ToolEntry } from "@tilescope/client";
import { type ComponentType, createElement } from "preact";
import type { PageFields, PageProps, PageTexts } from "./contract";
import { changedTexts } from "./field-texts";

type TextProps = PageProps<PageTexts>;

/** Views by the ids of tools. */
const OWN: Readonly<Record<string, () => Promise<ComponentType<TextProps>>>> = {
  op_profile: async () => {
    const [{ OpProfileView }, { FIELDS }] = await Promise.all([
      import("./op-profile/view"),
      import("./op-profile/fields"),
    ]);
    return withFields(FIELDS, OpProfileView);
  },
  call_tree: async () => {
    const [{ CallTreeView }, { FIELDS }] = await Promise.all([
      import("./call-tree/view"),
      import("./call-tree/fields"),
    ]);
    return withFields(FIELDS, CallTreeView);
  },
  collectives: async () => {
    const [{ CollectivesView }, { FIELDS }] = await Promise.all([
      import("./collectives/view"),
      import("./collectives/fields"),
    ]);
    return withFields(FIELDS, CollectivesView);
  },
  critical_path: async () => {
    const [{ CriticalPathView }, { FIELDS }] = await Promise.all([
      import("./critical-path/view"),
      import("./critical-path/fields"),
    ]);
    return withFields(FIELDS, CriticalPathView);
  },
  step_trace: async () => {
    const [{ StepTraceView }, { FIELDS }] = await Promise.all([
      import("./step-trace/view"),
      import("./step-trace/fields"),
    ]);
    return withFields(FIELDS, StepTraceView);
  },
  model_graph: async () => {
    const [{ ModelGraphView }, { FIELDS }] = await Promise.all([
      import("./model-graph/view"),
      import("./model-graph/fields"),
    ]);
    return withFields(FIELDS, ModelGraphView);
  },
  graph: async () => {
    const [{ GraphView }, { FIELDS }] = await Promise.all([import("./graph/view"), import("./graph/fields")]);
    return withFields(FIELDS, GraphView);
  },
  pod: async () => {
    const [{ PodView }, { FIELDS }] = await Promise.all([import("./pod/view"), import("./pod/fields")]);
    return withFields(FIELDS, PodView);
  },
  heat_map: async () => {
    const [{ HeatMapView }, { FIELDS }] = await Promise.all([import("./heat-map/view"), import("./heat-map/fields")]);
    return withFields(FIELDS, HeatMapView);
  },
  memory_profile: async () => {
    const [{ MemoryProfileView }, { FIELDS }] = await Promise.all([
      import("./memory-profile/view"),
      import("./memory-profile/fields"),
    ]);
    return withFields(FIELDS, MemoryProfileView);
  },
  query: async () => {
    const [{ QueryView }, { FIELDS }] = await Promise.all([import("./query/view"), import("./query/fields")]);
    return withFields(FIELDS, QueryView);
  },
  memory_viewer: async () => {
    const [{ MemoryViewerView }, { FIELDS }] = await Promise.all([
      import("./memory-viewer/view"),
      import("./memory-viewer/fields"),
    ]);
    return withFields(FIELDS, MemoryViewerView);
  },
};

/** Tools whose answer is a dashboard. */
const DASHBOARDS: ReadonlySet<string> = new Set(["overview", "input_pipeline"]);

async function dashboard(tool: ToolEntry): Promise<ComponentType<TextProps>> {
  const [{ dashboardOf }, { FIELDS }] = await Promise.all([import("./dashboard/view"), import("./dashboard/fields")]);
  return withFields(FIELDS, dashboardOf(tool));
}

/** The view of a tool's page. */
export async function viewOf(tool: ToolEntry): Promise<ComponentType<TextProps>> {
  if (DASHBOARDS.has(tool.id)) {
    return dashboard(tool);
  }
  return (await OWN[tool.id]?.()) ?? (await import("./catalogue/view")).viewOf(tool);
}

/** A view whose fields are texts to others. */
function withFields<Fields>(
  fields: PageFields<Fields>,
  View: ComponentType<PageProps<Fields>>,
): ComponentType<TextProps> {
  return ({ fields: texts, setFields, ...rest }) =>
    createElement(View, {
      ...rest,
      fields: fields.parse(texts),
      setFields: (next) => setFields(changedTexts(fields, texts, next)),
    });
}
