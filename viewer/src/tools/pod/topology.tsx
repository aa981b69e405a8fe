/** The chips of a pod where they lie, hosts in boxes: a button for each core, with its figure, coloured by that. */

import type { TimeBase, ToolTable } from "@tilescope/client";
import { useRef } from "preact/hooks";
import { heatColor } from "../../answers/chart-style";
import { scaleOf } from "../../answers/figures";
import { theme } from "../../state/settings";
import { type Heat, inkOn } from "./heat";
import { type ArrowKey, type Chip, type HostBox, neighbour, type PodLayout } from "./layout";
import { type Transfer, TransferArrow } from "./transfer-arrow";

interface Props {
  readonly cores: ToolTable;
  readonly layout: PodLayout;
  readonly heat: Heat;
  /** Name of the figure that the colour shows. */
  readonly title: string;
  readonly current: number;
  readonly stragglers: ReadonlySet<string>;
  readonly time: TimeBase;
  /** Rows of the core that sends, and of that which receives, of the channel that one looks at. */
  readonly transfer: Transfer | null;
  readonly onCurrent: (row: number) => void;
  readonly onEnter: (row: number) => void;
}

/** Figures are written into cells where so many stand side by side at most. */
const MOST_WRITTEN = 16;

const DIRECTIONS: ReadonlySet<string> = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]);

export function Topology(props: Props) {
  const { layout, current, onCurrent } = props;
  const holder = useRef<HTMLDivElement>(null);
  const go = (row: number) => {
    onCurrent(row);
    holder.current?.querySelector<HTMLElement>(`[data-row="${row}"]`)?.focus();
  };
  const rows = layout.boxes.flatMap(({ chips }) => chips.flatMap(({ cores }) => cores));
  const onKeyDown = (event: KeyboardEvent) => {
    const to = DIRECTIONS.has(event.key)
      ? neighbour(layout, current, event.key as ArrowKey)
      : { Home: rows[0], End: rows[rows.length - 1] }[event.key];
    if (to !== undefined) {
      go(to);
      event.preventDefault();
      event.stopPropagation();
    }
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys walk between the buttons in it.
    <div
      class={isDense(layout) ? "pod-map is-dense" : "pod-map"}
      ref={holder}
      style={{ gridTemplateColumns: `repeat(${layout.columns}, minmax(0, ${184 * layout.coresOfChip}px))` }}
      onKeyDown={onKeyDown}
    >
      {layout.boxes.map((box) => (
        <Host key={`${box.host} ${box.column} ${box.row}`} {...props} box={box} />
      ))}
      {props.transfer !== null && <TransferArrow holder={holder} transfer={props.transfer} />}
    </div>
  );
}

function Host({ box, ...props }: Props & { readonly box: HostBox }) {
  return (
    <section
      class="pod-host"
      aria-label={box.host === "" ? "Chips" : box.host}
      style={{
        gridColumn: `${box.column + 1} / span ${box.columns}`,
        gridRow: `${box.row + 1} / span ${box.rows}`,
      }}
    >
      {box.host !== "" && (
        <h3 class="pod-host-name" title={box.host}>
          {box.host}
        </h3>
      )}
      <div class="pod-chips" style={{ gridTemplateColumns: `repeat(${box.columns}, minmax(0, 1fr))` }}>
        {box.chips.map((chip) => (
          <div
            key={`${chip.column},${chip.row}`}
            class="pod-chip"
            style={{ gridColumn: chip.column + 1, gridRow: chip.row + 1 }}
          >
            {chip.cores.map((row) => (
              <CoreCell key={row} {...props} chip={chip} row={row} />
            ))}
          </div>
        ))}
      </div>
    </section>
  );
}

function CoreCell(props: Props & { readonly chip: Chip; readonly row: number }) {
  const { cores, layout, heat, title, current, stragglers, time, onCurrent, onEnter, chip, row } = props;
  const value = heat.values[row] ?? null;
  const part = heat.parts[row] ?? Number.NaN;
  const color = Number.isNaN(part) ? null : heatColor(part, theme.value);
  const name = String(cores.columns.find(({ id }) => id === "core")?.values[row] ?? "");
  // In the unit that all cells have.
  const scale = scaleOf({ kind: heat.kind, unit: "" }, [Number(heat.most ?? 0)], time);
  const written = isDense(layout) ? "visually-hidden" : "";
  return (
    <button
      type="button"
      class="pod-core"
      data-row={row}
      tabIndex={row === current ? 0 : -1}
      aria-current={row === current}
      style={color === null ? {} : { background: color, color: inkOn(color) }}
      onMouseEnter={() => onCurrent(row)}
      onFocus={() => onCurrent(row)}
      onClick={() => onCurrent(row)}
      onDblClick={() => onEnter(row)}
      onKeyDown={(event) => {
        if (event.key === "Enter") {
          event.preventDefault();
          event.stopPropagation();
          onEnter(row);
        }
      }}
    >
      {chip.id !== null && (
        <>
          <span class="visually-hidden">Chip </span>
          <span class={`pod-chip-id ${written}`}>{chip.id}</span>
        </>
      )}
      <span class="visually-hidden">, {title} </span>
      <span class={`pod-figure ${written}`}>{scale.text(value)}</span>
      <span class="visually-hidden">
        {" "}
        {scale.unit}, {name}
        {stragglers.has(name) && ", keeps others waiting "}
      </span>
      {stragglers.has(name) && <span class="pod-straggler">▲</span>}
    </button>
  );
}

function isDense({ columns, coresOfChip }: PodLayout): boolean {
  return columns * coresOfChip > MOST_WRITTEN;
}
