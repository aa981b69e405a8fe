/** The matrix on a canvas: a cell for each link, coloured by its figure. Pointer and arrow keys go from cell to cell. */

import { useSignalEffect } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { plotColors } from "../../answers/chart-colors";
import { heatColor, type PlotColors } from "../../answers/chart-style";
import { useForced } from "../../answers/use-forced";
import { theme } from "../../state/settings";
import { inkOn } from "../pod/heat";
import { type Cell, cellAfter, type LinkMatrix } from "./matrix";

interface Props {
  readonly title: string;
  /** Noun of cells, in the plural. */
  readonly noun: string;
  readonly matrix: LinkMatrix;
  /** Place of the cell that is shown beside it. */
  readonly current: number;
  readonly onCurrent: (place: number) => void;
  /** A click, or Enter. */
  readonly onChoose: (place: number) => void;
  readonly figureText: (cell: Cell) => string;
  readonly spokenText: (cell: Cell) => string;
}

const HEAD_PX = 24;
const NAME_PX = 92;
const MOST_CELL = { width: 110, height: 40 };
const LEAST_CELL_PX = 3;
const WIDEST_PX = 720;
/** Cells of fewer pixels have no figure, and rows of fewer no name. */
const WRITTEN_PX = 54;
const NAMED_PX = 14;

interface Grid {
  readonly width: number;
  readonly height: number;
}

function gridOf({ rows, columns }: LinkMatrix, widthPx: number): Grid {
  const fit = (Math.min(WIDEST_PX, widthPx) - NAME_PX) / Math.max(1, columns.length);
  const width = Math.max(LEAST_CELL_PX, Math.min(MOST_CELL.width, fit));
  const fits = 480 / Math.max(1, rows.length);
  return { width, height: Math.max(LEAST_CELL_PX, Math.min(MOST_CELL.height, Math.max(width / 2.5, 12), fits)) };
}

export function HeatMap({ title, noun, matrix, current, onCurrent, onChoose, figureText, spokenText }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawn = useRef({ matrix, current, figureText });
  drawn.current = { matrix, current, figureText };
  const isForced = useForced();
  const draw = () => {
    if (canvas.current !== null) {
      drawMatrix(canvas.current, drawn.current, plotColors(canvas.current.parentElement!, theme.peek()));
    }
  };
  useSignalEffect(() => {
    theme.value;
    isForced.value;
    draw();
  });
  useLayoutEffect(() => {
    const observer = new ResizeObserver(draw);
    observer.observe(canvas.current!.parentElement!);
    draw();
    return () => observer.disconnect();
  }, [matrix, current, figureText]);
  const placeAt = (event: MouseEvent): number => {
    const { left, top } = canvas.current!.getBoundingClientRect();
    const grid = gridOf(matrix, canvas.current!.parentElement!.clientWidth);
    const column = Math.floor((event.clientX - left - NAME_PX) / grid.width);
    const row = Math.floor((event.clientY - top - HEAD_PX) / grid.height);
    return matrix.cells.findIndex((cell) => cell.row === row && cell.column === column);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = cellAfter(matrix, current, event.key);
    if (next !== null) {
      onCurrent(next);
    } else if (event.key === "Enter") {
      onChoose(current);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const cell = matrix.cells[current];
  return (
    // biome-ignore lint/a11y/useSemanticElements: there is no element for an interactive picture.
    <div
      class="link-map"
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: its arrow keys walk from link to link.
      tabIndex={0}
      aria-label={`${title}: ${matrix.cells.length} ${noun}. Arrow keys go from one to the next, Enter shows its row.`}
      onKeyDown={onKeyDown}
      onMouseMove={(event) => {
        if (event.movementX === 0 && event.movementY === 0) {
          return; // the page has moved below a pointer that rests: keys go on from the cell that they have reached
        }
        const place = placeAt(event);
        if (place >= 0 && place !== current) {
          onCurrent(place);
        }
      }}
      onClick={(event) => {
        const place = placeAt(event);
        if (place >= 0) {
          onChoose(place);
        }
      }}
    >
      <canvas ref={canvas} aria-hidden="true" />
      <span class="visually-hidden" role="status">
        {cell === undefined ? "" : spokenText(cell)}
      </span>
    </div>
  );
}

interface Drawn {
  readonly matrix: LinkMatrix;
  readonly current: number;
  readonly figureText: (cell: Cell) => string;
}

function drawMatrix(canvas: HTMLCanvasElement, { matrix, current, figureText }: Drawn, colors: PlotColors): void {
  const ratio = devicePixelRatio;
  const grid = gridOf(matrix, canvas.parentElement!.clientWidth);
  const width = NAME_PX + grid.width * matrix.columns.length + 2;
  const height = HEAD_PX + grid.height * matrix.rows.length + 2;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d")!;
  context.scale(ratio, ratio);
  context.font = `11px ${colors.font}`;
  context.textBaseline = "middle";
  drawNames(context, matrix, grid, colors);
  for (const cell of matrix.cells) {
    const [left, top] = [NAME_PX + cell.column * grid.width, HEAD_PX + cell.row * grid.height];
    const isPlain = cell.part === null || colors.forced !== null;
    const color = isPlain ? colors.ground : heatColor(cell.part ?? 0, colors.theme);
    context.fillStyle = color;
    context.fillRect(left, top, grid.width, grid.height);
    context.strokeStyle = colors.line;
    context.lineWidth = 1;
    context.strokeRect(left + 0.5, top + 0.5, grid.width, grid.height);
    if (grid.width >= WRITTEN_PX && grid.height >= NAMED_PX) {
      context.fillStyle = isPlain ? colors.text : inkOn(color);
      context.textAlign = "center";
      context.fillText(figureText(cell), left + grid.width / 2, top + grid.height / 2, grid.width - 6);
    }
  }
  const cell = matrix.cells[current];
  if (cell !== undefined) {
    context.strokeStyle = getComputedStyle(canvas).color;
    context.lineWidth = 2;
    const [left, top] = [NAME_PX + cell.column * grid.width, HEAD_PX + cell.row * grid.height];
    context.strokeRect(left + 0.5, top + 0.5, grid.width, grid.height);
  }
}

function drawNames(context: CanvasRenderingContext2D, matrix: LinkMatrix, grid: Grid, colors: PlotColors): void {
  context.fillStyle = colors.text;
  context.textAlign = "right";
  context.fillText(`${matrix.rowTitle} ↓ ${matrix.columnTitle} →`, NAME_PX - 6, HEAD_PX / 2, NAME_PX - 8);
  const every = (size: number, least: number) => Math.max(1, Math.ceil(least / size));
  const rowStep = every(grid.height, NAMED_PX);
  matrix.rows.forEach((name, row) => {
    if (row % rowStep === 0) {
      context.fillText(name, NAME_PX - 6, HEAD_PX + (row + 0.5) * grid.height, NAME_PX - 8);
    }
  });
  context.textAlign = "center";
  const columnStep = every(grid.width, 26);
  matrix.columns.forEach((name, column) => {
    if (column % columnStep === 0) {
      const left = NAME_PX + (column + 0.5) * grid.width;
      context.fillText(name, left, HEAD_PX / 2, columnStep * grid.width - 2);
    }
  });
}
