/** Choices above the map: order, groups, what counts as busy, filter. */

import { BarSelect } from "../../components/bar-select";
import { catalogue } from "../../state/catalogue";
import type { PageContext } from "../contract";
import { figureOf, type HeatMapFields, SORTS } from "./fields";
import type { Layer } from "./layer";
import type { Sorting } from "./use-sorting";

const COUNTED = [
  { value: "", text: "Devices, where there are some" },
  { value: "computing", text: "Devices, computing only" },
  { value: "devices", text: "Devices" },
  { value: "tracks", text: "Tracks" },
] as const;

/** In the place of figures of tools that are no choice of their own. */
const OTHER_TOOL = "tool";

interface Props {
  readonly context: PageContext;
  readonly fields: HeatMapFields;
  readonly level: Layer["level"];
  readonly sorting: Sorting;
  setFields(fields: HeatMapFields): void;
}

export function MapBar({ context, fields, level, sorting, setFields }: Props) {
  const tools = figureTools();
  const figure = figureOf(fields.sort);
  const first = tools.find(({ value }) => value === "pod") ?? tools[0];
  return (
    <div class="tool-bar is-flat">
      <BarSelect
        label="Order of the rows"
        choices={[
          ...SORTS.map(({ id, title }) => ({ value: id, text: title })),
          ...(tools.length === 0 ? [] : [{ value: OTHER_TOOL, text: "By a column of a tool" }]),
        ]}
        chosen={figure === null || SORTS.some(({ id }) => id === fields.sort) ? fields.sort : OTHER_TOOL}
        onChoose={(sort) => setFields({ ...fields, sort: sort === OTHER_TOOL ? `${first!.value}.` : sort })}
      />
      {figure !== null && (
        <>
          <BarSelect
            label="Tool whose column sorts the rows"
            choices={tools}
            chosen={figure.tool}
            onChoose={(tool) => setFields({ ...fields, sort: `${tool}.` })}
          />
          {sorting.columns.length > 0 && (
            <BarSelect
              label="Column that sorts the rows"
              choices={sorting.columns.map(({ id, title }) => ({ value: id, text: title }))}
              chosen={sorting.column?.id ?? ""}
              onChoose={(column) => setFields({ ...fields, sort: `${figure.tool}.${column}` })}
            />
          )}
        </>
      )}
      <label class="heat-map-least">
        <input
          type="checkbox"
          checked={fields.least}
          onChange={(event) => setFields({ ...fields, least: event.currentTarget.checked })}
        />
        Backwards
      </label>
      <BarSelect
        label="Groups of rows"
        choices={[
          { value: "", text: "No groups" },
          ...(level === "host" ? [] : [{ value: "host", text: "Grouped by host" } as const]),
          { value: "name", text: "Grouped by name" },
          { value: "grid", text: "Grouped by chip row" },
        ]}
        chosen={fields.group}
        onChoose={(group) => setFields({ ...fields, group })}
      />
      <BarSelect
        label="What counts as busy"
        choices={COUNTED}
        chosen={fields.counted}
        onChoose={(counted) => setFields({ ...fields, counted })}
      />
      <input
        class="heat-map-filter"
        type="search"
        aria-label="Filter the rows by name"
        placeholder="Filter by name"
        value={fields.filter}
        onChange={(event) => setFields({ ...fields, filter: event.currentTarget.value })}
      />
      <p class="page-of">Figures are of {context.rangeText}.</p>
    </div>
  );
}

/** Tools that have figures of this run and of a span of it, by name. */
function figureTools(): readonly { readonly value: string; readonly text: string }[] {
  const state = catalogue.value;
  const tools = state.kind === "ready" ? state.tools : [];
  return tools
    .filter(
      ({ id, available, group, fields }) =>
        available && group !== "raw" && id !== "heat_map" && fields.includes("start"),
    )
    .map(({ id, title }) => ({ value: id, text: title }))
    .toSorted((a, b) => a.text.localeCompare(b.text));
}
