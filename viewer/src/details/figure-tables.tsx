/** Tables of an answer in the details: the facts in a line, what needs saying, and the tables as tabs. */

import type { ToolAnswer, ToolFact, ToolTable } from "@tilescope/client";
import { useEffect, useMemo } from "preact/hooks";
import { DataTable } from "../answers/data-table";
import { exactText, figureText, isRecorded } from "../answers/figures";
import type { Links, RowActions } from "../answers/links";
import { NotesList } from "../answers/notes-list";
import { choicesFor } from "../answers/table-choices";
import { TableChoices } from "../answers/table-model";
import { Tabs } from "../answers/tabs";
import { useApp } from "../components/app-context";
import { formatCount } from "../components/format";
import { forgetRows } from "./track-highlights";

interface Props {
  readonly answer: ToolAnswer;
  readonly links: Links;
  /** The tool, and the columns of its tables that are hidden at first. */
  readonly tool: string;
  readonly hidden?: readonly string[];
  /** The facts that are shown, in this order. */
  readonly facts: readonly string[];
  readonly rowActionsOf?: (table: ToolTable) => RowActions | null;
}

export function FigureTables({ answer, links, tool, facts, hidden = [], rowActionsOf = () => null }: Props) {
  const { pane } = useApp();
  const tables = answer.tables.filter(({ columns }) => (columns[0]?.values.length ?? 0) > 0);
  const shown = facts.flatMap((id) => answer.facts.find((fact) => fact.id === id) ?? []);
  useEffect(() => () => forgetRows(pane), [pane]);
  const actionsByTable = useMemo(() => new Map(tables.map((table) => [table.id, rowActionsOf(table)])), [answer]);
  return (
    <>
      {shown.length > 0 && <FactLine facts={shown} links={links} />}
      <NotesList label="Findings" notes={answer.notes.filter(({ severity }) => severity !== "info")} links={links} />
      <Tabs
        label={`${tool} tables`}
        tabs={tables.map((table) => ({
          id: table.id,
          title: table.title,
          count: formatCount(table.columns[0]!.values.length),
        }))}
      >
        {(id, head) => (
          <DataTable
            key={id}
            head={tables.length > 1 ? head : null}
            table={tables.find((table) => table.id === id)!}
            links={links}
            choices={choicesFor(`details.${tool}/${id}`, () => new TableChoices(hidden))}
            onMore={null}
            rowActions={actionsByTable.get(id) ?? null}
          />
        )}
      </Tabs>
    </>
  );
}

function FactLine({ facts, links }: { facts: readonly ToolFact[]; links: Links }) {
  return (
    <dl class="fact-line">
      {facts.map(({ id, label, note, kind, value }) => {
        const { digits, unit } = figureText({ kind, unit: "" }, value, links.time);
        const exact = isRecorded(value) ? exactText({ kind, unit: "" }, value, links.time) : `not recorded: ${note}`;
        return (
          <div key={id} data-fact={id} title={`${label}: ${exact}${note === "" ? "" : `\n${note}`}`}>
            <dt>{label}</dt>
            <dd>
              {digits}
              {unit === "" ? "" : ` ${unit}`}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
