/** The figures of a span, whose code is loaded with the first of them; until then what the selection says itself. */

import { LoadFailed } from "../components/load-failed";
import { useLoaded } from "../components/use-loaded";
import { Head } from "./head";
import type { SpanPanelProps } from "./span-panel";

const load = async () => (await import("./span-panel")).SpanPanel;

export function LateSpanPanel(props: SpanPanelProps) {
  const Panel = useLoaded("span-panel", load);
  if (Panel.kind === "ready") {
    return <Panel.value {...props} />;
  }
  const { title, zoom, own } = props;
  return (
    <>
      <Head title={title} zoom={zoom} />
      <div class="drawer-body is-plain">
        {Panel.kind === "failed" && <LoadFailed />}
        {(own.isFirst || Panel.kind === "failed") && own.content}
      </div>
    </>
  );
}
