/** Panel of a span of time on some tracks: tabs of figures that the server computes exactly. */

import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { TabList } from "../answers/tabs";
import { useApp } from "../components/app-context";
import type { Pane } from "../state/pane";
import type { Trace } from "../state/trace";
import { connectEmphasis } from "../timeline/emphasis";
import { CallTreeFigures } from "./call-tree-figures";
import { CounterFigures } from "./counter-figures";
import { EventFigures } from "./event-figures";
import { FlowFigures } from "./flow-figures";
import { GapFigures } from "./gap-figures";
import { GroupChoice } from "./group-choice";
import { Head } from "./head";
import { OverlapFigures } from "./overlap-figures";
import { isCounter, isSliced, questionTracks } from "./question-tracks";
import type { ShownSpan } from "./span-answer";
import { groupsQuestion, spanTabs, treesQuestion } from "./span-tabs";
import { TreeChoice } from "./tree-choice";
import "../answers/answer.css";
import "../styles/span-panel.css";

export interface SpanPanelProps {
  readonly trace: Trace;
  readonly span: ShownSpan;
  readonly title: string;
  readonly zoom: string;
  /** The tab that is shown; `own` is that of the selection itself. */
  readonly tab: Signal<string>;
  readonly own: { readonly title: string; readonly isFirst: boolean; readonly content: ComponentChildren };
}

interface Part {
  readonly id: string;
  readonly title: string;
  /** The tool whose page shows the same; null where there is none. */
  readonly tool: string | null;
}

const OF_EVENTS: readonly Part[] = [
  { id: "events", title: "Events", tool: "stats" },
  { id: "gaps", title: "Gaps", tool: "gaps" },
  { id: "overlap", title: "Overlap", tool: "overlap" },
  { id: "flows", title: "Flows", tool: "flows" },
  { id: "call-tree", title: "Call tree", tool: "call_tree" },
];
const OF_COUNTERS: Part = { id: "counters", title: "Counters", tool: "counters" };

function partsOf(trace: Trace, { tracks }: ShownSpan, own: SpanPanelProps["own"]): readonly Part[] {
  const chosen = [...tracks].flatMap((id) => trace.tracks.get(id) ?? []);
  const tools = [
    ...(chosen.some(isSliced) ? OF_EVENTS.slice(0, 1) : []),
    ...(chosen.some(isCounter) ? [OF_COUNTERS] : []),
    ...(chosen.some(isSliced) ? OF_EVENTS.slice(1) : []),
  ];
  const part: Part = { id: "own", title: own.title, tool: null };
  return own.isFirst ? [part, ...tools] : [...tools, part];
}

export function SpanPanel({ trace, span, title, zoom, tab, own }: SpanPanelProps) {
  const app = useApp();
  const { pane } = app;
  useEffect(() => connectEmphasis(app.stage), [app]);
  const parts = partsOf(trace, span, own);
  const current = parts.find(({ id }) => id === tab.value) ?? parts[0]!;
  const { tool } = current;
  return (
    <>
      <Head
        title={title}
        zoom={zoom}
        page={
          tool === null
            ? null
            : {
                title: `${current.title} of the same range and tracks on a page of their own; V leads back`,
                open: () =>
                  app.pages.open({ tool, range: { kind: "selection" }, texts: textsOf(pane, trace, span, tool) }),
              }
        }
      >
        <TabList
          label="What is in it"
          tabs={parts.map(({ id, title: name }) => ({ id, title: name, count: "" }))}
          current={current.id}
          onChoose={(id) => {
            tab.value = id;
          }}
        />
        {tool === "stats" && <GroupChoice trace={trace} />}
        {tool === "call_tree" && <TreeChoice />}
        <span class="topbar-space" />
      </Head>
      <div class={tool === null ? "drawer-body is-plain" : "span-body"} role="tabpanel" aria-label={current.title}>
        <Content id={current.id} trace={trace} span={span} own={own.content} />
      </div>
    </>
  );
}

function Content({ id, trace, span, own }: { id: string; trace: Trace; span: ShownSpan; own: ComponentChildren }) {
  switch (id) {
    case "events":
      return <EventFigures trace={trace} span={span} />;
    case "counters":
      return <CounterFigures trace={trace} span={span} />;
    case "gaps":
      return <GapFigures trace={trace} span={span} />;
    case "overlap":
      return <OverlapFigures trace={trace} span={span} />;
    case "flows":
      return <FlowFigures trace={trace} span={span} />;
    case "call-tree":
      return <CallTreeFigures trace={trace} span={span} />;
    default:
      return own;
  }
}

/** The fields of the page that shows the same. */
function textsOf(pane: Pane, trace: Trace, { tracks }: ShownSpan, tool: string): Record<string, string> {
  const named = questionTracks(trace.tracks, tracks, tool === "counters" ? isCounter : isSliced);
  const { by: first, ...rest } = groupsQuestion(spanTabs(pane));
  const groups = tool === "stats" ? { ...(first === "name" ? {} : { by: first! }), ...rest } : {};
  const by = tool === "call_tree" ? treesQuestion(spanTabs(pane)) : groups;
  return named.kind === "some" ? { ...by, tracks: named.text } : by;
}
