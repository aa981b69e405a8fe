/** A buffer's figures: those of a row of the table of buffers, in the colour that its bars have. */

import type { TimeBase, ToolColumn, ToolTable } from "@tilescope/client";
import { systemColors } from "../../answers/chart-colors";
import { seriesStyle } from "../../answers/chart-style";
import { exactText, type Figure, figureText } from "../../answers/figures";
import { useForced } from "../../answers/use-forced";
import { theme } from "../../state/settings";
import { HUES } from "./buffer-bars";

/** Columns of the card, in this order. */
const CARD = [
  ...["size", "unpadded", "extra", "expansion", "category", "purpose", "operator", "kind", "data_type", "shape"],
  ...["format", "life", "framework", "source"],
];

interface Props {
  readonly table: ToolTable;
  readonly row: number;
  /** Null: it has no bar, as it is not there at the peak. */
  readonly hue: number | null;
  readonly time: TimeBase;
}

export function BufferCard({ table, row, hue, time }: Props) {
  const value = (id: string) => table.columns.find((column) => column.id === id)?.values[row] ?? null;
  const facts = CARD.flatMap((id) => {
    const column = table.columns.find((candidate) => candidate.id === id);
    const figure = value(id);
    return column === undefined || figure === null
      ? []
      : [{ title: column.title, text: shortText(column, figure, time), exact: exactText(column, figure, time) }];
  });
  const isForced = useForced();
  const forced = isForced.value ? systemColors(document.body) : null;
  const style = hue === null ? null : seriesStyle(hue, HUES, theme.value, forced);
  return (
    <div class="buffer-card">
      <h3 title={String(value("name"))}>
        {style !== null && <span class="buffer-swatch" style={{ background: style.fill, borderColor: style.line }} />}
        {String(value("name"))}
      </h3>
      <dl>
        {facts.map(({ title, text, exact }) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd title={exact}>{text}</dd>
          </div>
        ))}
        <div>
          <dt>There from</dt>
          <dd>
            point {String(value("first"))} to {String(value("last"))}
          </dd>
        </div>
      </dl>
    </div>
  );
}

function shortText(column: ToolColumn, value: Figure, time: TimeBase): string {
  const { digits, unit } = figureText(column, value, time);
  return `${digits} ${unit}`.trim();
}
