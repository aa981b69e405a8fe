/** Draws whatever a tool answers: notes, facts, series and tables, by the kinds of their figures alone. */

import "./answer.css";
import type { ToolAnswer, ToolTable } from "@tilescope/client";
import { useMemo } from "preact/hooks";
import { formatCount } from "../components/format";
import { ChartCard } from "./chart-card";
import { DataTable } from "./data-table";
import { FactCards } from "./facts-cards";
import type { AnswerProps } from "./links";
import { NotesList } from "./notes-list";
import { TableChoices } from "./table-model";
import { Tabs } from "./tabs";

/** How tables were sorted and filtered, by tool and table: the answer for another range is shown in the same way. */
const choicesOf = new Map<string, TableChoices>();

function choices(tool: string, table: string): TableChoices {
  const name = `${tool}/${table}`;
  let found = choicesOf.get(name);
  if (found === undefined) {
    found = new TableChoices();
    choicesOf.set(name, found);
  }
  return found;
}

function isEmpty(answer: ToolAnswer): boolean {
  const tables = answer.tables.every((table) => rowsOf(table) === 0);
  return answer.facts.length === 0 && tables && answer.series.length === 0;
}

function rowsOf(table: ToolTable): number {
  return table.columns[0]?.values.length ?? 0;
}

export function AnswerView({ tool, answer, links, rangeText, onMore }: AnswerProps) {
  const { facts, tables, series, notes } = answer;
  const seriesById = useMemo(() => new Map(series.map((one) => [one.id, one])), [series]);
  const tablesById = useMemo(() => new Map(tables.map((table) => [table.id, table])), [tables]);
  return (
    <div class="answer" data-tool={tool.id}>
      <NotesList label="Findings" notes={notes.filter((note) => note.severity !== "info")} links={links} />
      {facts.length > 0 && <FactCards facts={facts} time={links.time} />}
      {isEmpty(answer) && (
        <p class="answer-empty">
          {tool.title} has found nothing in {rangeText}. Look at another range.
        </p>
      )}
      {series.length > 0 && (
        <Tabs label="Charts" tabs={series.map(({ id, title }) => ({ id, title, count: "" }))}>
          {(id, head) => (
            <ChartCard key={id} head={head} series={seriesById.get(id)!} links={links} rangeText={rangeText} />
          )}
        </Tabs>
      )}
      {tables.length > 0 && (
        <Tabs
          label="Tables"
          tabs={tables.map((table) => ({ id: table.id, title: table.title, count: formatCount(rowsOf(table)) }))}
        >
          {(id, head) => (
            <DataTable
              key={id}
              head={head}
              table={tablesById.get(id)!}
              links={links}
              choices={choices(tool.id, id)}
              onMore={onMore}
            />
          )}
        </Tabs>
      )}
      <NotesList label="Notes" notes={notes.filter((note) => note.severity === "info")} links={links} />
    </div>
  );
}
