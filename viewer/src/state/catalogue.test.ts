import { ApiError, NetworkError } from "@tilescope/client";
import { expect, it, vi } from "vitest";
import { CatalogueLoader, catalogue } from "./catalogue";
import type { Trace } from "./trace";

function trace(tools: Trace["api"]["tools"]): Pick<Trace, "manifest" | "api"> {
  return { manifest: { run: "r", build: "b", state: "ready", revision: 0 }, api: { tools } } as unknown as Trace;
}

it("asks again for tools that did not come, and for refused ones only when a person looks for them", async () => {
  const tools = vi.fn().mockRejectedValueOnce(new NetworkError("lost"));
  tools.mockRejectedValueOnce(new ApiError(500, "internal", "broken")).mockResolvedValue([]);
  const requested = trace(tools);
  const loader = new CatalogueLoader();
  const settled = () => vi.waitUntil(() => catalogue.value.kind !== "loading");
  loader.want(requested);
  await settled();
  loader.want(requested);
  await settled();
  expect(catalogue.value).toMatchObject({ kind: "failed", failure: { message: "broken", isFinal: true } });
  loader.want(requested);
  expect(tools).toHaveBeenCalledTimes(2);
  loader.look(requested);
  await settled();
  expect(catalogue.value.kind).toBe("ready");
  loader.look(requested);
  expect(tools).toHaveBeenCalledTimes(3);
});
