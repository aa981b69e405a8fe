/**
 * Sorting, filters, columns and their widths of all tables, by tool and table: the next answer is shown in the same way. The address has those of the
 * tables on the screen, where they are otherwise than at first.
 */

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { entryText, escapeField, unescapeField } from "../base/list-text";
import { bindPart } from "../state/part-text";
import { addUnread, pageParts } from "../state/parts";
import { withWidth } from "./column-widths";
import { TableChoices } from "./table-model";

interface Kept {
  readonly choices: TableChoices;
  /** The fields of the choices as they were made. */
  readonly first: readonly string[];
}

const keptByKey = new Map<string, Kept>();
const shownKeys = signal<ReadonlyMap<string, number>>(new Map());
/** Fields of the address, also of tables that have not been drawn yet. */
let wanted: ReadonlyMap<string, readonly string[]> = new Map();
/** Columns that the address names and tables have not, each said once. */
const lacking = new Set<string>();

const FLAGS = [
  ["c", "hasCard"],
  ["p", "hasPicture"],
  ["t", "hasTable"],
] as const;

/** In the place of a sort: rows are in the order of the answer. */
const ANSWER_ORDER = "-";

/** Ids of columns are parted by `.`, which names of arguments have as well. */
function escapeId(id: string): string {
  return id.replace(/[%.]/g, (sign) => (sign === "." ? "%2E" : "%25"));
}

function unescapeId(text: string): string {
  return text.replace(/%(25|2E)/g, (sign) => decodeURIComponent(sign));
}

/** Sort, filter, columns that are turned, flags, and widths that were dragged: `340-self.96-count`. */
function fieldsOf(choices: TableChoices): readonly string[] {
  const sort = choices.sort.value;
  return [
    sort === null ? ANSWER_ORDER : `${sort.isDescending ? "-" : ""}${sort.column}`,
    choices.filter.value,
    [...choices.turned.value].sort().map(escapeId).join("."),
    FLAGS.filter(([, name]) => choices[name].value)
      .map(([sign]) => sign)
      .join("") || "-",
    [...choices.widths.value].map(([id, widthPx]) => `${widthPx}-${escapeId(id)}`).join("."),
  ];
}

function take(
  choices: TableChoices,
  [sort = ANSWER_ORDER, filter = "", turned = "", flags = "-", widths = ""]: readonly string[],
): void {
  choices.sort.value =
    sort === ANSWER_ORDER ? null : { column: sort.replace(/^-/, ""), isDescending: sort.startsWith("-") };
  choices.filter.value = filter;
  choices.turned.value = new Set(turned.split(".").filter(Boolean).map(unescapeId));
  for (const [sign, name] of FLAGS) {
    choices[name].value = flags.includes(sign);
  }
  choices.widths.value = widths.split(".").reduce((dragged: ReadonlyMap<string, number>, text) => {
    const [, widthPx, id] = /^(\d{1,5})-(.+)$/s.exec(text) ?? [];
    return id === undefined ? dragged : withWidth(dragged, unescapeId(id), Number(widthPx));
  }, new Map());
}

/** The choices for a table or chart, as `make` gives them the first time. */
export function choicesFor(key: string, make: () => TableChoices = () => new TableChoices()): TableChoices {
  let kept = keptByKey.get(key);
  if (kept === undefined) {
    const choices = make();
    choices.key = key;
    kept = { choices, first: fieldsOf(choices) };
    keptByKey.set(key, kept);
    const fields = wanted.get(key);
    if (fields !== undefined) {
      takeOver(kept, fields);
    }
  }
  return kept.choices;
}

/** Fields that an address leaves out are as they were at first. */
function takeOver({ choices, first }: Kept, fields: readonly string[] = []): void {
  take(
    choices,
    first.map((field, k) => fields[k] || field),
  );
}

/** Has the address say how a table is shown, while it is. */
export function useShown({ key }: TableChoices): void {
  useEffect(() => {
    const count = (by: number) => {
      const times = (shownKeys.peek().get(key) ?? 0) + by;
      const others = [...shownKeys.peek()].filter(([other]) => other !== key);
      shownKeys.value = new Map(times > 0 ? [...others, [key, times]] : others);
    };
    count(1);
    return () => count(-1);
  }, [key]);
}

/** Says which columns the address names that a table has not, once it is drawn. */
export function useKnownColumns(choices: TableChoices, columns: readonly { readonly id: string }[]): void {
  useEffect(() => {
    tellLacking(
      choices,
      columns.map(({ id }) => id),
    );
  }, [choices, columns]);
}

export function tellLacking(choices: TableChoices, ids: readonly string[]): void {
  if (!wanted.has(choices.key)) {
    return;
  }
  const sort = choices.sort.value?.column;
  const named = [...(sort === undefined ? [] : [sort]), ...choices.turned.value, ...choices.widths.value.keys()];
  for (const id of new Set(named)) {
    const text = `tables=${choices.key} (no column ${id} in this table)`;
    if (!ids.includes(id) && !lacking.has(text)) {
      lacking.add(text);
      addUnread(text);
    }
  }
}

function textOf(): string {
  const entries = [...shownKeys.value.keys()].sort().flatMap((key) => {
    const kept = keptByKey.get(key);
    const fields =
      kept === undefined ? [] : fieldsOf(kept.choices).map((field, k) => (field === kept.first[k] ? "" : field));
    return fields.some((field) => field !== "") ? [entryText([key, ...fields].map(escapeField))] : [];
  });
  return entries.join(";");
}

bindPart(pageParts, "tables", textOf, (text) => {
  const entries = (text ?? "").split(";").map((entry) => entry.split(",").map(unescapeField));
  lacking.clear();
  wanted = new Map(entries.map(([key = "", ...fields]) => [key, fields]));
  for (const [key, kept] of keptByKey) {
    takeOver(kept, wanted.get(key));
  }
  return true;
});
