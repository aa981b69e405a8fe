/** An answer as plain lists and tables. */

import type { AnswerProps } from "../contract";

export function PlainAnswer({ answer, rangeText }: AnswerProps) {
  return (
    <>
      <p class="page-note">Of {rangeText}.</p>
      <dl>
        {answer.facts.map((fact) => (
          <div key={fact.id}>
            <dt>{fact.label}</dt>
            <dd>{fact.value === null ? `– ${fact.note}` : String(fact.value)}</dd>
          </div>
        ))}
      </dl>
      {answer.tables.map((table) => (
        <table key={table.id}>
          <caption>{table.title}</caption>
          <thead>
            <tr>
              {table.columns.map((column) => (
                <th key={column.id}>{column.title}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {(table.columns[0]?.values ?? []).map((_, row) => (
              <tr key={row}>
                {table.columns.map((column) => (
                  <td key={column.id}>{String(column.values[row] ?? "–")}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      ))}
      {answer.notes.map((note) => (
        <p key={note.text}>{note.text}</p>
      ))}
    </>
  );
}
