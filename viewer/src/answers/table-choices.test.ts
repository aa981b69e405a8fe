import { expect, it } from "vitest";
import { pageParts } from "../state/parts";
import { unreadParts } from "../state/shell";
import { DRAGGED_PX } from "./column-widths";
import { choicesFor, tellLacking } from "./table-choices";
import { TableChoices } from "./table-model";

it("takes up what an address says, also of tables that come later, and leaves the others as they are at first", () => {
  const before = choicesFor("test/before");
  const other = choicesFor("test/other", () => {
    const choices = new TableChoices();
    choices.hasCard.value = true;
    return choices;
  });
  other.filter.value = "forgotten";
  pageParts.value = {
    tables:
      "test/before,-self,a%2Cb%3B%25;test/later,name,,args%252Esize.id.track,ct,340-name.1-args%252Esize.x;test/other,,,,-",
  };
  expect(before.sort.value).toEqual({ column: "self", isDescending: true });
  expect(before.filter.value).toBe("a,b;%");
  expect([other.filter.value, other.hasCard.value]).toEqual(["", false]);
  const later = choicesFor("test/later");
  expect(later.sort.value).toEqual({ column: "name", isDescending: false });
  expect([...later.turned.value]).toEqual(["args.size", "id", "track"]);
  expect([later.hasCard.value, later.hasPicture.value, later.hasTable.value]).toEqual([true, false, true]);
  expect([...later.widths.value]).toEqual([
    ["name", 340],
    ["args.size", DRAGGED_PX.min],
  ]);
  pageParts.value = {};
  expect([
    before.sort.value,
    before.filter.value,
    later.hasTable.value,
    other.hasCard.value,
    later.widths.value.size,
  ]).toEqual([...[null, "", false], ...[true, 0]]);
});

it("says once which columns of an address a table has not", () => {
  const choices = choicesFor("test/lacking");
  const own = choicesFor("test/own");
  pageParts.value = { tables: "test/lacking,-selff,,name.gone" };
  unreadParts.value = [];
  own.sort.value = { column: "also gone", isDescending: false };
  for (const _ of [1, 2]) {
    tellLacking(choices, ["name", "self"]);
    tellLacking(own, ["name", "self"]);
  }
  expect(unreadParts.value).toEqual([
    "tables=test/lacking (no column selff in this table)",
    "tables=test/lacking (no column gone in this table)",
  ]);
  unreadParts.value = [];
  pageParts.value = {};
});

it("has a table that is sorted at first in the order of the answer where a link says so", () => {
  const bySelf = () => new TableChoices([], { column: "self", isDescending: true });
  const choices = choicesFor("test/sorted", bySelf);
  expect(choices.sort.value).toEqual({ column: "self", isDescending: true });
  pageParts.value = { tables: "test/sorted,-" };
  expect(choices.sort.value).toBeNull();
  pageParts.value = { tables: "test/sorted,,word" };
  expect(choices.sort.value).toEqual({ column: "self", isDescending: true });
  pageParts.value = {};
});
