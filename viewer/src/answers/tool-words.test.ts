import { expect, it } from "vitest";
import { toolWords } from "./tool-words";

const tools = new Set(["gaps", "overlap", "hlo_stats", "op_profile"]);

const marked = (sentence: string) =>
  toolWords(sentence, (id) => tools.has(id))
    .map(({ text, tool }) => (tool === null ? text : `[${tool}]`))
    .join("");

it.each([
  ["overlap them, see the gaps (see hlo_stats).", "overlap them, see the gaps (see [hlo_stats])."],
  ["what the host does meanwhile (gaps); run on", "what the host does meanwhile ([gaps]); run on"],
  ["compare (hlo_stats, with its tracks): debug_print", "compare ([hlo_stats], with its tracks): debug_print"],
  ["op_profile says where", "[op_profile] says where"],
  ["no tool (see nothing), Hlo_stats, hlo_stats2", "no tool (see nothing), Hlo_stats, hlo_stats2"],
  ["", ""],
])("%s", (sentence, expected) => {
  expect(marked(sentence)).toBe(expected);
});
