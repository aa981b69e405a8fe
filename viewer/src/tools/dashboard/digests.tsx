/** Digests of other tools on a page, each with the way to its own: a step as a picture, all else as a table. */

import { choices } from "../../answers/answer-view";
import { DataTable } from "../../answers/data-table";
import { GoIcon } from "../../components/icons";
import type { PageContext } from "../contract";
import { StepPicture } from "../step-trace/picture";
import { type Digest, digestTexts } from "./digest-tables";

interface Props {
  readonly digests: readonly Digest[];
  readonly context: PageContext;
}

/** The tool whose digest is drawn by the picture of its page. */
const STEP_TRACE = "step_trace";

/** Rows that are seen without scrolling, with the header. */
const MOST_ROWS = 11;

/** Streams of a step's picture; its page has all. */
const MOST_STREAMS = 12;

export function Digests({ digests, context }: Props) {
  return (
    <>
      {digests.map((digest) => {
        const { tool, table } = digest;
        const way = <Way digest={digest} context={context} />;
        const rows = Math.min(MOST_ROWS, (table.columns[0]?.values.length ?? 0) + 1) + (table.totals === null ? 0 : 1);
        return tool === STEP_TRACE ? (
          <StepPicture key={table.id} parts={table} context={context} way={way} most={MOST_STREAMS} />
        ) : (
          <div key={table.id} class="dashboard-table" style={{ "--rows": String(rows) }}>
            <DataTable
              head={
                <h2 class="tab-title">
                  {table.title}
                  {way}
                </h2>
              }
              table={table}
              links={context}
              choices={choices("overview", table.id)}
              onMore={null}
            />
          </div>
        );
      })}
    </>
  );
}

function Way({ digest, context }: { readonly digest: Digest; readonly context: PageContext }) {
  const page = context.toolPage?.(digest.tool) ?? null;
  return page === null ? null : (
    <button type="button" class="button is-quiet" onClick={() => context.openPage(digest.tool, digestTexts(digest))}>
      {page.title}
      <GoIcon />
    </button>
  );
}
