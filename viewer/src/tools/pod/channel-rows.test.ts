import type { ToolTable } from "@tilescope/client";
import { expect, test } from "vitest";
import { bandwidthText, channelNames, channelRows, dataText, partOf, shortNames } from "./channel-rows";

const table = (columns: Readonly<Record<string, readonly (string | number | null)[]>>) =>
  ({
    id: "t",
    title: "",
    columns: Object.entries(columns).map(([id, values]) => ({ id, values })),
  }) as unknown as ToolTable;

test("rows, and what is not recorded", () => {
  const rows = channelRows(
    table({
      channel: ["10", "9", "10"],
      source: ["a", "b", "c"],
      destination: ["b", "c", "a"],
      data: ["1048576", null, "1"],
      latency: ["50", "200", null],
      bandwidth: [1024 ** 3, null, 5],
      hlo: ["send.1, recv-done.1", null, ""],
    }),
  );
  expect(channelNames(rows)).toEqual(["9", "10"]);
  expect(rows.map((row) => partOf(row, rows))).toEqual([0.25, 1, 0]);
  expect(rows[0]!.hlo).toEqual(["send.1", "recv-done.1"]);
  expect(rows[1]!.hlo).toEqual([]);
  expect(rows.map(({ data }) => dataText(data))).toEqual(["1 MiB", "–", "9.537e-7 MiB"]);
  expect(rows.map(({ bandwidth }) => bandwidthText(bandwidth))).toEqual(["1 GiB/s", "–", "4.66e-9 GiB/s"]);
});

test("cores are called by their chips", () => {
  const names = { core: ["h · A", "h · B", "h · C"] };
  expect([...shortNames(table({ ...names, chip: [4, 5, null] })).values()]).toEqual(["chip 4", "chip 5", "h · C"]);
  const shared = shortNames(table({ ...names, chip: [4, 4, 5], core_number: [0, 1, 0] }));
  expect([...shared.values()]).toEqual(["chip 4 core 0", "chip 4 core 1", "chip 5 core 0"]);
});
