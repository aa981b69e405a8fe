/** SQL over the tables of the run: a statement, its rows, and a chart of two of their columns. */

import "./query.css";
import { fetchSqlRoom, runSql, type SqlRoom, type SqlRows } from "@tilescope/client";
import { useEffect, useMemo, useState } from "preact/hooks";
import { BarSelect } from "../../components/bar-select";
import { formatCount } from "../../components/format";
import { Answered, StateCard, sentence } from "../../requests/states";
import { useRequest } from "../../requests/use-request";
import { buildKey } from "../../state/question-key";
import type { PageProps } from "../contract";
import { ToolAnswerView } from "../frame/tool-answer";
import { Editor } from "./editor";
import type { QueryFields } from "./fields";
import { RECIPES } from "./recipes";
import { measuredColumns, rowsAnswer } from "./rows-answer";

type Props = PageProps<QueryFields>;

const TOOL = { id: "query", title: "Query", help: "" };

export function QueryView(props: Props) {
  const { api, manifest } = props.context.trace;
  const request = useRequest(`sql ${buildKey(manifest)}`, (signal) => fetchSqlRoom(api, signal));
  return <Answered request={request}>{(room) => <Room {...props} room={room} />}</Answered>;
}

function Room({ room, ...props }: Props & { readonly room: SqlRoom }) {
  const { fields, setFields } = props;
  const [draft, setDraft] = useState(fields.sql);
  // Enter on the same statement runs it again: rows of a statement that failed may be had now.
  const [times, setTimes] = useState(0);
  useEffect(() => setDraft(fields.sql), [fields.sql]);
  if (!room.allowed) {
    return (
      <StateCard title="No SQL is run here" state="unavailable">
        <p>{sentence(room.reason ?? "This server runs no SQL")}</p>
      </StateCard>
    );
  }
  const run = (sql = draft) => {
    if (sql.trim() !== "") {
      setTimes(times + 1);
      setFields(sql === fields.sql ? fields : { sql, x: "", y: "" });
    }
  };
  return (
    <div class="query">
      <Editor sql={draft} tables={room.tables} onChange={setDraft} onRun={run} />
      <div class="tool-bar is-flat query-bar">
        <button type="button" class="button is-primary" title="Ctrl+Enter" onClick={() => run()}>
          Run
        </button>
        <BarSelect
          label="Recipes"
          chosen=""
          choices={[{ value: "", text: "Recipes" }, ...RECIPES.map(({ title }) => ({ value: title, text: title }))]}
          onChoose={(title) => {
            const sql = RECIPES.find((recipe) => recipe.title === title)?.sql;
            if (sql !== undefined) {
              setDraft(sql);
              run(sql);
            }
          }}
        />
        <p class="page-of">Times are ticks; columns named start, end and duration are shown as times.</p>
      </div>
      <Tables room={room} />
      {fields.sql !== "" && <Result key={times} {...props} />}
    </div>
  );
}

function Tables({ room }: { readonly room: SqlRoom }) {
  return (
    <details class="query-tables">
      <summary>Tables and columns</summary>
      <dl>
        {room.tables.map(({ name, doc, columns }) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>
              {doc}
              <br />
              {columns.map((column) => (
                <code key={column.name} title={`${column.type}: ${column.doc}`}>
                  {column.name}
                </code>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function Result({ context, fields, setFields }: Props) {
  const { api, manifest } = context.trace;
  const request = useRequest(`rows ${buildKey(manifest)} ${fields.sql}`, (signal) =>
    runSql(api, { statement: fields.sql, rows: 10_000 }, signal),
  );
  return (
    <Answered
      request={request}
      isEmpty={({ rows }) => rows.length === 0}
      empty={() => (
        <StateCard title="No rows" state="empty">
          <p>The statement was run, and selects nothing.</p>
        </StateCard>
      )}
    >
      {(rows) => <Rows rows={rows} context={context} fields={fields} setFields={setFields} />}
    </Answered>
  );
}

type RowsProps = Pick<Props, "context" | "fields" | "setFields"> & { readonly rows: SqlRows };

function Rows({ rows, context, fields, setFields }: RowsProps) {
  const { x, y } = fields;
  const answer = useMemo(() => rowsAnswer(rows, x, y), [rows, x, y]);
  const measured = useMemo(() => measuredColumns(rows), [rows]);
  const names = answer.tables[0]?.columns.map(({ id }) => id) ?? [];
  return (
    <>
      {rows.cut && (
        <p class="page-note" role="status">
          There are more rows than these {formatCount(rows.rows.length)}: limit them, or add them up.
        </p>
      )}
      {measured.length > 0 && names.length > 1 && (
        <div class="tool-bar is-flat query-bar">
          <BarSelect
            label="Chart: heights"
            chosen={y}
            choices={[
              { value: "", text: "No chart" },
              ...measured.map((name) => ({ value: name, text: `Chart of ${name}` })),
            ]}
            onChoose={(next) =>
              setFields({ ...fields, y: next, x: next === "" ? "" : x || (names.find((name) => name !== next) ?? "") })
            }
          />
          {y !== "" && (
            <BarSelect
              label="Chart: across"
              chosen={x}
              choices={names.filter((name) => name !== y).map((name) => ({ value: name, text: `by ${name}` }))}
              onChoose={(next) => setFields({ ...fields, x: next })}
            />
          )}
        </div>
      )}
      <ToolAnswerView tool={TOOL} answer={answer} context={context} />
    </>
  );
}
