/** The graph as a drawing. Arrows walk along its edges, Enter takes a node to the middle, Space opens and closes. */

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { fitted, layOut, type Point } from "./layout";
import { beside, type GraphModel, type GraphNode } from "./model";

interface Props {
  readonly model: GraphModel;
  readonly focus: number;
  /** Description of the drawing. */
  readonly label: string;
  readonly onFocus: (row: number) => void;
  /** Takes a node to the middle. */
  readonly onCentre: (node: GraphNode) => void;
  /** Opens a node that runs others, or closes a frame. */
  readonly onToggle: (node: GraphNode) => void;
}

interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

const LEAST_SCALE = 0.15;
const MOST_SCALE = 2;
const WHEEL = 0.0015;

export function Picture({ model, focus, label, onFocus, onCentre, onToggle }: Props) {
  const place = useMemo(() => layOut(model), [model]);
  const frame = useRef<SVGSVGElement>(null);
  const [view, setView] = useState<View>({ x: 0, y: 0, scale: 1 });
  const drag = useRef<{ x: number; y: number; view: View } | null>(null);

  // What is asked for lies in the middle; all of it is seen where that is legible.
  useLayoutEffect(() => {
    const { clientWidth: width, clientHeight: height } = frame.current!;
    const scale = Math.max(Math.min(1, width / place.width, height / place.height), 0.6);
    const box = place.boxes.get(model.middle);
    const offset = (size: number, whole: number, middle: number) =>
      whole * scale <= size
        ? (size - whole * scale) / 2
        : Math.min(0, Math.max(size - whole * scale, size / 2 - middle * scale));
    setView({
      scale,
      x: offset(width, place.width, box === undefined ? 0 : box.x + box.width / 2),
      y: offset(height, place.height, box === undefined ? 0 : box.y + box.height / 2),
    });
  }, [place, model]);

  const zoom = (factor: number, x: number, y: number) =>
    setView((from) => {
      const scale = Math.min(MOST_SCALE, Math.max(LEAST_SCALE, from.scale * factor));
      const by = scale / from.scale;
      return { scale, x: x - (x - from.x) * by, y: y - (y - from.y) * by };
    });

  const move = (row: number) => {
    onFocus(row);
    frame.current?.querySelector<SVGGElement>(`[data-row="${row}"]`)?.focus({ preventScroll: true });
    const box = place.boxes.get(row);
    const { clientWidth: width, clientHeight: height } = frame.current!;
    if (box !== undefined) {
      setView((from) => ({
        ...from,
        x: into(from.x, box.x * from.scale, box.width * from.scale, width),
        y: into(from.y, box.y * from.scale, box.height * from.scale, height),
      }));
    }
  };

  const onKeyDown = (event: KeyboardEvent, node: GraphNode) => {
    const { sources, targets } = beside(model, node.row);
    const middleOf = (row: number) => place.boxes.get(row)!.x + place.boxes.get(row)!.width / 2;
    const nearest = (rows: readonly number[]) =>
      rows.toSorted(
        (a, b) => Math.abs(middleOf(a) - middleOf(node.row)) - Math.abs(middleOf(b) - middleOf(node.row)),
      )[0];
    const inLine = () => {
      const { y } = place.boxes.get(node.row)!;
      const level = model.nodes.filter((other) => !other.isOpen && place.boxes.get(other.row)?.y === y);
      return level.toSorted((a, b) => middleOf(a.row) - middleOf(b.row)).map(({ row }) => row);
    };
    const step = (by: number) => {
      const line = inLine();
      return line[line.indexOf(node.row) + by];
    };
    const to = {
      ArrowUp: () => nearest(sources),
      ArrowDown: () => nearest(targets),
      ArrowLeft: () => step(-1),
      ArrowRight: () => step(1),
      Home: () => model.middle,
    }[event.key];
    if (to !== undefined) {
      const row = to();
      if (row !== undefined) {
        move(row);
      }
    } else if (event.key === "Enter") {
      onCentre(node);
    } else if (event.key === " ") {
      onToggle(node);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  const near = beside(model, focus);
  const beNear = new Set([...near.sources, ...near.targets]);
  return (
    <div class="graph-frame">
      <svg
        ref={frame}
        class="graph-picture"
        aria-label={label}
        onWheel={(event) => {
          event.preventDefault();
          const { left, top } = event.currentTarget.getBoundingClientRect();
          zoom(Math.exp(-event.deltaY * WHEEL), event.clientX - left, event.clientY - top);
        }}
        onPointerDown={(event) => {
          drag.current = { x: event.clientX, y: event.clientY, view };
        }}
        onPointerMove={(event) => {
          const from = drag.current;
          if (from !== null && event.buttons !== 0) {
            setView({ ...from.view, x: from.view.x + event.clientX - from.x, y: from.view.y + event.clientY - from.y });
          }
        }}
        onPointerUp={() => {
          drag.current = null;
        }}
      >
        <title>{label}</title>
        <defs>
          <marker id="graph-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0 L8 4 L0 8 Z" />
          </marker>
        </defs>
        <g transform={`translate(${view.x} ${view.y}) scale(${view.scale})`}>
          {model.nodes.map((node) => {
            const box = place.boxes.get(node.row);
            return node.isOpen && box !== undefined ? (
              <g key={node.name} transform={`translate(${box.x} ${box.y})`}>
                <rect class="graph-open" width={box.width} height={box.height} rx="8" />
                <text class="graph-open-name" x="8" y="14">
                  {fitted(node.name, Math.floor(box.width / 7))}
                </text>
              </g>
            ) : null;
          })}
          {model.edges.map(({ source, target }, index) => (
            <path
              key={`${source} ${target}`}
              class={source === focus || target === focus ? "graph-edge is-near" : "graph-edge"}
              d={pathOf(place.paths[index]!)}
              marker-end="url(#graph-arrow)"
            />
          ))}
          {model.nodes.map((node) => {
            const box = place.boxes.get(node.row);
            if (node.isOpen || box === undefined) {
              return null;
            }
            const classes = ["graph-node", `is-${node.family}`];
            if (node.row === model.middle) {
              classes.push("is-middle");
            }
            if (node.row === focus) {
              classes.push("is-focus");
            } else if (beNear.has(node.row)) {
              classes.push("is-near");
            }
            return (
              // biome-ignore lint/a11y/useSemanticElements: a part of a drawing
              <g
                key={node.name}
                class={classes.join(" ")}
                data-row={node.row}
                role="button"
                tabIndex={node.row === focus ? 0 : -1}
                transform={`translate(${box.x} ${box.y})`}
                onClick={() => move(node.row)}
                onDblClick={() => onCentre(node)}
                onKeyDown={(event) => onKeyDown(event, node)}
                onFocus={() => onFocus(node.row)}
              >
                <rect width={box.width} height={box.height} rx="6" />
                {node.share !== null && <Shares share={node.share} width={box.width} height={box.height} />}
                <foreignObject width={box.width} height={box.height}>
                  <div class="graph-text">
                    <span class="graph-name">{node.name}</span>
                    {node.inside > 0 && <span class="graph-inside">+{node.inside}</span>}
                    <span class="graph-shape">
                      {node.opcode} {node.shape}
                    </span>
                  </div>
                </foreignObject>
              </g>
            );
          })}
        </g>
      </svg>
      <div class="graph-zoom">
        <button type="button" class="button is-outlined" onClick={() => zoomMiddle(1.3)} aria-label="Closer">
          +
        </button>
        <button type="button" class="button is-outlined" onClick={() => zoomMiddle(1 / 1.3)} aria-label="Farther">
          −
        </button>
      </div>
    </div>
  );

  function zoomMiddle(factor: number) {
    const { clientWidth, clientHeight } = frame.current!;
    zoom(factor, clientWidth / 2, clientHeight / 2);
  }
}

const STRIP_HEIGHT = 5;
const STRIP_MARGIN = 2;

/** A part that is there is seen, however small it is. */
const LEAST_PART_PX = 2;

/** Both colours of a node along its lower edge, in their proportion. */
function Shares({ share, width, height }: { share: number; width: number; height: number }) {
  const inner = width - 2 * STRIP_MARGIN;
  const valid = Math.min(Math.max(inner * share, LEAST_PART_PX), inner - LEAST_PART_PX);
  const strip = { y: height - STRIP_HEIGHT - STRIP_MARGIN, height: STRIP_HEIGHT };
  return (
    <>
      <rect class="graph-part is-valid" x={STRIP_MARGIN} width={valid} {...strip} />
      <rect class="graph-part is-invalid" x={STRIP_MARGIN + valid} width={inner - valid} {...strip} />
    </>
  );
}

/** An offset by which a stretch is seen whole. */
function into(offset: number, start: number, length: number, size: number): number {
  const margin = 24;
  if (offset + start < margin) {
    return margin - start;
  }
  return offset + start + length > size - margin ? size - margin - start - length : offset;
}

function pathOf(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) {
    return "";
  }
  const last = rest.at(-1) ?? first;
  const bends = rest.slice(0, -1).map((point, index) => {
    const next = rest[index + 1]!;
    const isLast = index === rest.length - 2;
    const end = isLast ? last : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    return `Q${point.x} ${point.y} ${end.x} ${end.y}`;
  });
  return `M${first.x} ${first.y}${bends.length > 0 ? bends.join("") : `L${last.x} ${last.y}`}`;
}
