/** The tree of a table as a picture: a level for each row of boxes, as wide as what they come to. By pointer and by keys. */

import "./tree-picture.css";
import { useSignal } from "@preact/signals";
import type { ToolTable } from "@tilescope/client";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { DownloadIcon, GoIcon, ResetIcon } from "../../components/icons";
import { savePicture } from "../../components/save";
import { measureGlyphs } from "../../raster/text";
import { theme } from "../../state/settings";
import { readCanvasTheme } from "../../timeline/canvas-theme";
import { plotColors } from "../chart-colors";
import { CopyButton } from "../copy-button";
import type { Links } from "../links";
import { goToPlace, Places } from "../timeline-places";
import { boxAt } from "./layout";
import { NameColors } from "./names";
import { NO_NODE } from "./node-tree";
import { type Drawing, LEVEL_PX, paint } from "./paint";
import { PictureBar } from "./picture-bar";
import { pictureFile, pictureText } from "./picture-file";
import { type BoxFigures, PictureModel } from "./picture-model";
import { boxByKey } from "./walk";

interface Props {
  readonly table: ToolTable;
  readonly links: Links;
  readonly rangeText: string;
  /** Shows the row of the table that a box is about. */
  readonly onRow: (row: number) => void;
}

interface Pointed {
  readonly box: number;
  readonly xPx: number;
  readonly yPx: number;
}

export function TreePicture({ table, links, rangeText, onRow }: Props) {
  const model = useMemo(() => new PictureModel(table, links.time), [table, links.time]);
  const places = useMemo(() => new Places(table.columns), [table]);
  const colors = useMemo(() => new NameColors(model.names, theme.value), [model, theme.value]);
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const heightPx = useSignal(0);
  const pointed = useSignal<Pointed | null>(null);
  const boxes = model.boxes.value;
  const current = model.current.value;
  const wholePx = Math.max(1, boxes.levels) * LEVEL_PX;

  const drawing = (): Omit<Drawing, "topPx" | "heightPx"> | null => {
    const element = scroller.current;
    const context = canvas.current?.getContext("2d");
    if (element === null || !context) {
      return null;
    }
    const { accent, panel } = readCanvasTheme(element);
    const { text: textDim, ...plot } = plotColors(element, theme.value);
    const paints = { ...plot, textDim, accent: plot.forced?.text ?? accent, panel: plot.forced?.ground ?? panel };
    context.font = `12px ${paints.font}`;
    return {
      boxes: model.boxes.peek(),
      paints,
      glyphs: measureGlyphs((text) => context.measureText(text).width),
      widthPx: model.widthPx.peek(),
      textOf: (box) => model.names.text(model.rowOf(box)),
      formOf: (box) => model.names.form(model.rowOf(box)),
      colorsOf: (box) => colors.colorsOf(model.names.numbers[model.rowOf(box)]!),
      isLit: (box) => model.isMatch(box),
      current: model.current.peek(),
    };
  };
  const draw = () => {
    const element = canvas.current;
    const parts = drawing();
    if (element === null || parts === null) {
      return;
    }
    const ratio = devicePixelRatio;
    element.width = Math.round(parts.widthPx * ratio);
    element.height = Math.round(heightPx.peek() * ratio);
    const context = element.getContext("2d")!;
    context.scale(ratio, ratio);
    paint(context, { ...parts, topPx: scroller.current?.scrollTop ?? 0, heightPx: heightPx.peek() });
  };
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) {
      return;
    }
    const measure = () => {
      model.widthPx.value = element.clientWidth;
      heightPx.value = element.clientHeight;
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [model]);
  useEffect(draw, [model, boxes, current, model.matching.value, heightPx.value, colors]);
  // Numbers of boxes are those of one layout.
  useLayoutEffect(() => {
    pointed.value = null;
  }, [boxes]);

  const focus = (box: number) => {
    model.current.value = box;
    const element = scroller.current;
    const level = model.boxes.peek().level[box];
    if (element !== null && level !== undefined) {
      const topPx = level * LEVEL_PX;
      element.scrollTop = Math.max(topPx + LEVEL_PX - element.clientHeight, Math.min(element.scrollTop, topPx));
    }
    const row = model.rowOf(box);
    if (row !== NO_NODE) {
      onRow(row);
    }
  };
  const zoom = (box: number) => {
    if (model.boxes.peek().node[box] === model.zoomed.peek() && box >= 0) {
      model.zoomOut();
    } else {
      model.zoom(box);
    }
  };
  const placeOf = (box: number) => {
    const row = model.rowOf(box);
    return row === NO_NODE ? null : places.placeOf(row);
  };
  const boxOf = (event: MouseEvent): number => {
    const area = canvas.current!.getBoundingClientRect();
    const level = Math.floor((event.clientY - area.top + (scroller.current?.scrollTop ?? 0)) / LEVEL_PX);
    return boxAt(boxes, level, event.clientX - area.left);
  };
  const onPointerMove = (event: PointerEvent) => {
    const box = boxOf(event);
    const area = canvas.current!.getBoundingClientRect();
    pointed.value = box < 0 ? null : { box, xPx: event.clientX - area.left, yPx: event.clientY - area.top };
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) {
      return;
    }
    const next = boxByKey(boxes, model.order.value, current, event.key);
    if (next !== null) {
      focus(next);
    } else if (event.key === "Enter" && current >= 0) {
      if (event.shiftKey) {
        goToPlace(links, placeOf(current));
      } else {
        zoom(current);
      }
    } else if ((event.key === "Escape" || event.key === "Backspace") && model.zoomed.value !== NO_NODE) {
      model.zoomOut();
    } else {
      return;
    }
    pointed.value = null;
    event.preventDefault();
    event.stopPropagation();
  };
  const save = () => {
    const parts = drawing();
    if (parts !== null) {
      void savePicture(pictureFile({ ...parts, current: -1 }, `${table.title} (${rangeText})`), table.id);
    }
  };
  const place = placeOf(current);
  return (
    <section class="tree-picture" aria-label={`${table.title}: picture`}>
      <PictureBar model={model} onFocus={focus}>
        <button type="button" class="button is-quiet" title="Saves the picture" onClick={save}>
          <DownloadIcon />
          PNG
        </button>
        <CopyButton
          label="Copy as TSV"
          title="Copies the boxes that are shown"
          text={(isRaw) => pictureText(model, isRaw)}
        />
      </PictureBar>
      {/* biome-ignore lint/a11y/useSemanticElements: there is no element for an interactive picture. */}
      <div
        class="tree-picture-scroll"
        ref={scroller}
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: its arrow keys walk from box to box.
        tabIndex={0}
        aria-label={`${table.title}: picture of ${boxes.levels} levels. Arrow keys walk, Enter fills the picture with a box, Escape goes back${places.areThere ? ", Shift+Enter leads to the timeline" : ""}.`}
        style={{ height: `${wholePx}px` }}
        onScroll={draw}
        onKeyDown={onKeyDown}
        onPointerMove={onPointerMove}
        onPointerLeave={() => {
          pointed.value = null;
        }}
        onClick={(event) => {
          const box = boxOf(event);
          if (box >= 0) {
            focus(box);
          }
        }}
        onDblClick={(event) => {
          const box = boxOf(event);
          if (box >= 0) {
            zoom(box);
          }
        }}
      >
        <canvas ref={canvas} style={{ width: "100%", height: `${heightPx.value}px` }} />
        <div style={{ height: `${Math.max(0, wholePx - heightPx.value)}px` }} />
      </div>
      {pointed.value !== null && boxes.node[pointed.value.box] !== undefined && (
        <Tip pointed={pointed.value} figures={model.figures(pointed.value.box)} widthPx={model.widthPx.value} />
      )}
      <div class="tree-picture-foot">
        <span role="status">{current < 0 ? hint(boxes.node.length) : wordsOf(model.figures(current))}</span>
        {model.isPart && <span class="dim">Nodes that are not listed are counted with their parent.</span>}
        {current >= 0 && (
          <button type="button" class="button is-outlined" onClick={() => zoom(current)}>
            {boxes.node[current] === model.zoomed.value ? "Zoom out" : "Zoom in"}
          </button>
        )}
        {place !== null && (
          <button type="button" class="button is-outlined" onClick={() => goToPlace(links, place)}>
            Show in the timeline
            <GoIcon />
          </button>
        )}
        {model.zoomed.value !== NO_NODE && (
          <button type="button" class="button is-outlined" onClick={() => model.zoomAll()}>
            <ResetIcon />
            Whole tree
          </button>
        )}
      </div>
    </section>
  );
}

function hint(boxes: number): string {
  return boxes === 0 ? "There is nothing to draw." : "Double-click a box, or press Enter, to zoom in to it.";
}

function wordsOf({ name, size, share, own }: BoxFigures): string {
  return [name, size, share, own].filter(Boolean).join(" · ");
}

interface TipProps {
  readonly pointed: Pointed;
  readonly figures: BoxFigures;
  readonly widthPx: number;
}

function Tip({ pointed: { xPx, yPx }, figures: { name, size, share, own }, widthPx }: TipProps) {
  const side = xPx < widthPx / 2 ? { left: `${xPx + 12}px` } : { right: `${widthPx - xPx + 12}px` };
  return (
    <div class="chart-tooltip tree-picture-tip" style={{ ...side, "--y": `${yPx}px` }}>
      <strong>{name}</strong>
      <span>
        {size} {share === "" ? "" : `· ${share}`}
      </span>
      {own !== "" && <span class="dim">{own}</span>}
    </div>
  );
}
