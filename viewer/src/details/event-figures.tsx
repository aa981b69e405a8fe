/** Table of a span's events by name, or by other groups; a row has its events stand out. */

import type { ToolAnswer, ToolQuestion, ToolTable } from "@tilescope/client";
import { useEffect, useMemo } from "preact/hooks";
import { DataTable } from "../answers/data-table";
import type { RowActions } from "../answers/links";
import { NotesList } from "../answers/notes-list";
import { choicesFor } from "../answers/table-choices";
import { TableChoices } from "../answers/table-model";
import { type AppActions, useApp } from "../components/app-context";
import { GoIcon } from "../components/icons";
import type { Pane } from "../state/pane";
import { announcement, failure } from "../state/shell";
import { recordedRange } from "../state/shifts";
import type { Trace } from "../state/trace";
import { LongestIcon } from "./panel-icons";
import { isSliced } from "./question-tracks";
import { eventOf, hasNamesakes, hasQueries, highlightOf, highlightOfPair, rowQuestion } from "./row-events";
import { type ShownSpan, SpanAnswer } from "./span-answer";
import { groupsQuestion, spanTabs } from "./span-tabs";
import { forgetRows } from "./track-highlights";
import { useLinks } from "./use-links";

interface Props {
  readonly trace: Trace;
  readonly span: ShownSpan;
}

const NAMELESS = "These events have no name to search for.";

function choices(by: string): TableChoices {
  return choicesFor(
    `details.stats/${by}`,
    () => new TableChoices(["shortest", ...(TWICE[by] ?? ["category", "track"])], BY_SELF),
  );
}

/** Order at first: by self time, so that slices around others do not lead. */
const BY_SELF = { column: "self", isDescending: true };

/** Columns that repeat another one: hidden at first. */
const TWICE: Readonly<Record<string, readonly string[]>> = {
  name: ["category"],
  track: ["name", "process", "host"],
  process: ["track"],
  host: ["track"],
};

export function EventFigures({ trace, span }: Props) {
  const { pane } = useApp();
  const by = spanTabs(pane).chosenGroups.value;
  const more = groupsQuestion(spanTabs(pane));
  if (more.argument === "") {
    return (
      <p class="drawer-empty" data-state="empty">
        Which argument? Enter its name beside “argument” above.
      </p>
    );
  }
  const sides = more.then === undefined ? by : `${by} ${more.then}`;
  return (
    <SpanAnswer
      key={sides}
      trace={trace}
      tool="stats"
      span={span}
      isOf={isSliced}
      more={more}
      nothing="There are no events here."
    >
      {(answer) =>
        more.then === undefined ? (
          <EventTable trace={trace} span={span} by={by} answer={answer} />
        ) : (
          <PivotTable trace={trace} sides={sides} answer={answer} />
        )
      }
    </SpanAnswer>
  );
}

/** Groups in groups: events of a row's name stand out, or those of its track. */
function PivotTable({ trace, sides, answer }: { trace: Trace; sides: string; answer: ToolAnswer }) {
  const { pane } = useApp();
  const links = useLinks(trace);
  const table = answer.tables.find(({ id }) => id === "pivot");
  useEffect(() => () => forgetRows(pane), [pane]);
  const rowActions = useMemo(() => (table === undefined ? null : pivotActions(pane, trace, table)), [trace, table]);
  return table === undefined ? null : (
    <DataTable
      table={table}
      links={links}
      choices={choices(sides)}
      head={<NotesList label="Left out" notes={answer.notes} links={links} />}
      onMore={null}
      rowActions={rowActions}
    />
  );
}

function pivotActions(pane: Pane, trace: Trace, table: ToolTable): RowActions {
  return {
    ways: [],
    isLit: (row) =>
      pane.highlight.value !== null && highlightOfPair(table, row, trace)?.key === pane.highlight.value.key,
    light: (row) => {
      const wanted = row === null ? null : highlightOfPair(table, row, trace);
      pane.highlight.value = wanted;
      failure.value = row !== null && wanted === null ? "The events of this row cannot be highlighted." : "";
      announcement.value = wanted === null ? "Nothing is highlighted" : "Its events are highlighted in the timeline";
    },
  };
}

function EventTable({ trace, span, by, answer }: Props & { readonly by: string; readonly answer: ToolAnswer }) {
  const app = useApp();
  const { pane } = app;
  const links = useLinks(trace);
  const table = answer.tables[0]!;
  const shownBy = by === "name" && hasNamesakes(table) ? "name.category" : by;
  useEffect(() => () => forgetRows(pane), [pane]);
  const rowActions = useMemo(() => rowActionsOf(app, trace, span, by, table), [app, trace, span, by, table]);
  return (
    <DataTable
      table={table}
      links={links}
      choices={choices(shownBy)}
      head={null}
      onMore={null}
      rowActions={rowActions}
    />
  );
}

function rowActionsOf(app: AppActions, trace: Trace, span: ShownSpan, by: string, table: ToolTable): RowActions {
  const keys = Array.from(
    { length: table.columns[0]?.values.length ?? 0 },
    (_, row) => highlightOf(by, table, row, trace)?.key,
  );
  const find = (row: number, which: "first" | "longest") => {
    const { range } = recordedRange(app.pane.shifts.peek(), span.range, span.tracks);
    void goTo(app, trace, rowQuestion(by, table, row, which, { ...span, range }, trace));
  };
  return {
    ways: hasQueries(by)
      ? [
          { label: "Go to the first one", icon: GoIcon, go: (row) => find(row, "first") },
          { label: "Go to the longest one", icon: LongestIcon, go: (row) => find(row, "longest") },
        ]
      : [],
    isLit: (row) => app.pane.highlight.value !== null && keys[row] === app.pane.highlight.value.key,
    light: (row) => {
      const wanted = row === null ? null : highlightOf(by, table, row, trace);
      app.pane.highlight.value = wanted;
      failure.value = row !== null && wanted === null ? NAMELESS : "";
      announcement.value = wanted === null ? "Nothing is highlighted" : "Its events are highlighted in the timeline";
    },
  };
}

/** Goes to the first event of a row in the span, or to the first that is as long as the longest one. */
async function goTo(app: AppActions, trace: Trace, question: ToolQuestion | null): Promise<void> {
  if (question === null) {
    failure.value = NAMELESS;
    return;
  }
  try {
    const event = eventOf(await trace.api.ask("search", question));
    if (event === null) {
      failure.value = "There is no such event.";
    } else {
      app.pages.goToEvent(event.track, event.ordinal);
    }
  } catch (error) {
    failure.value = `It could not be looked up: ${error instanceof Error ? error.message : String(error)}`;
  }
}
