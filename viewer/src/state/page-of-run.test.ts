import { describe, expect, it } from "vitest";
import { hasPage, pageOfRun } from "./page-of-run";

describe("the page of a run without a timeline", () => {
  it.each([
    ["cloud_tpu", ["page/op_profile"], "op_profile"],
    ["cloud_tpu", ["page/op_profile~2"], "op_profile"],
    ["cloud_tpu", ["page/input_pipeline"], "input_pipeline"],
    ["cloud_tpu", ["page/overview_page"], "overview"],
    ["cloud_tpu", ["page/another", "page/pod_viewer"], "pod"],
    ["cloud_tpu", ["page/memory_viewer"], "memory_viewer"],
    ["cloud_tpu", ["page/another"], "imported"],
    ["cloud_tpu", [], "imported"],
    ["tf_graph", ["graph/model"], "model_graph"],
    ["ascend_table", [], "tables"],
    ["xspace", [], null],
  ])("%s with %j opens %s", (format, names, tool) => {
    const attachments = names.map((name) => ({ name }));
    expect(pageOfRun(format, attachments)).toBe(tool);
    expect(hasPage(format)).toBe(tool !== null);
  });
});
