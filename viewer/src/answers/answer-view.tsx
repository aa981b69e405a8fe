/** Draws whatever a tool answers: its headline, facts, series and tables, by the kinds of their figures alone. */

import "./answer.css";
import { useSignal } from "@preact/signals";
import type { ToolAnswer, ToolTable } from "@tilescope/client";
import { useEffect, useMemo } from "preact/hooks";
import { formatCount } from "../components/format";
import { ChartCard } from "./chart-card";
import { FactCards, MissingFacts } from "./facts-cards";
import type { AnswerProps, RowOfTable } from "./links";
import { Headline, NotesList } from "./notes-list";
import { PictureTable } from "./picture-table";
import { choicesFor } from "./table-choices";
import { TableChoices } from "./table-model";
import { Tabs } from "./tabs";
import { isTree } from "./tree-rows";

/** Choices for a table or chart of a tool. */
export function choices(tool: string, table: string, hasCards = false, hasPictures = false): TableChoices {
  return choicesFor(`${tool}/${table}`, () => {
    const choices = new TableChoices();
    choices.hasCard.value = hasCards;
    choices.isClosed = hasCards;
    choices.hasPicture.value = hasPictures;
    return choices;
  });
}

function isEmpty(answer: ToolAnswer): boolean {
  const tables = answer.tables.every((table) => rowsOf(table) === 0);
  return answer.facts.length === 0 && tables && answer.series.length === 0;
}

/** A tree whose picture is drawn by a column, and not by the number of its rows. */
function hasSizes({ nested }: ToolTable): boolean {
  return (nested ?? []).length > 0;
}

function rowsOf(table: ToolTable): number {
  return table.columns[0]?.values.length ?? 0;
}

export function AnswerView({
  tool,
  answer,
  links,
  rangeText,
  onMore,
  isOwn = false,
  pictures,
  onPointed,
  wanted: requested = null,
}: AnswerProps) {
  const { facts, tables, series, notes } = answer;
  const seriesById = useMemo(() => new Map(series.map((entry) => [entry.id, entry])), [series]);
  const tablesById = useMemo(() => new Map(tables.map((table) => [table.id, table])), [tables]);
  const hasPicture = (table: ToolTable) =>
    pictures === "trees"
      ? isTree(table)
      : pictures === "first" && series.length === 0 && table === tables[0] && (!isTree(table) || hasSizes(table));
  const wanted = useSignal<(RowOfTable & { readonly id: string }) | null>(null);
  useEffect(() => {
    if (requested !== null) {
      wanted.value = { ...requested, id: requested.table };
    }
  }, [requested]);
  return (
    <div class="answer" data-tool={tool.id}>
      <Headline answer={answer} links={links} />
      <NotesList label="Findings" notes={notes.filter((note) => note.severity !== "info")} links={links} />
      <FactCards tool={tool.id} facts={facts} time={links.time} />
      <MissingFacts facts={facts} />
      {isEmpty(answer) && (
        <p class="answer-empty">
          {tool.title} has found nothing in {rangeText}.
        </p>
      )}
      {series.length > 0 && (
        <Tabs label="Charts" tabs={series.map(({ id, title }) => ({ id, title, count: "" }))}>
          {(id, head) => (
            <ChartCard
              key={id}
              head={head}
              series={seriesById.get(id)!}
              tables={tables}
              choices={choices(tool.id, `chart ${id}`, false)}
              onRow={(tableRow) => {
                wanted.value = { ...tableRow, id: tableRow.table };
              }}
              links={links}
              rangeText={rangeText}
            />
          )}
        </Tabs>
      )}
      {tables.length > 0 && (
        <Tabs
          label="Tables"
          wanted={wanted.value}
          tabs={tables.map((table) => ({ id: table.id, title: table.title, count: formatCount(rowsOf(table)) }))}
        >
          {(id, head) => {
            const table = tablesById.get(id)!;
            return (
              <PictureTable
                key={id}
                head={head}
                table={table}
                links={links}
                choices={choices(tool.id, id, isOwn && pictures === undefined, hasPicture(table))}
                rangeText={rangeText}
                wanted={wanted.value?.table === id ? wanted.value : null}
                onMore={onMore}
                {...(onPointed === undefined ? {} : { onPointed: (row: number) => onPointed({ table: id, row }) })}
              />
            );
          }}
        </Tabs>
      )}
      <NotesList label="Notes" notes={notes.filter((note) => note.severity === "info")} links={links} />
    </div>
  );
}
