/** A table without a tree: above its rows, one can have a ring of the parts that a column's values are of a whole. */

import { useSignal } from "@preact/signals";
import type { ToolTable } from "@tilescope/client";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { RingIcon } from "../components/icons";
import { DataTable } from "./data-table";
import type { Links } from "./links";
import { ringColumns } from "./share-ring/ring-parts";
import { ShareRing } from "./share-ring/share-ring";
import { type TableChoices, TableModel } from "./table-model";

interface Props {
  readonly table: ToolTable;
  readonly links: Links;
  readonly choices: TableChoices;
  readonly head: ComponentChildren;
  readonly rangeText: string;
  readonly onMore: ((more: string) => void) | null;
  readonly wanted: { readonly row: number } | null;
  readonly onPointed?: (row: number) => void;
}

export function RingTable({ head, rangeText, wanted, ...props }: Props) {
  const { table, links, choices } = props;
  const chosen = useSignal<{ readonly row: number } | null>(null);
  const hasRing = useMemo(() => ringColumns(new TableModel(table, links, choices)).length > 0, [table, links, choices]);
  const { hasPicture } = choices;
  useEffect(() => {
    chosen.value = wanted;
  }, [wanted, table]);
  if (!hasRing) {
    return <DataTable head={head} wanted={wanted} {...props} />;
  }
  return (
    <>
      {hasPicture.value && (
        <ShareRing
          table={table}
          links={links}
          choices={choices}
          rangeText={rangeText}
          onRow={(row) => {
            chosen.value = { row };
          }}
        />
      )}
      <DataTable
        head={
          <>
            {head}
            <button
              type="button"
              class="button is-outlined"
              aria-pressed={hasPicture.value}
              title="The shares as a ring"
              onClick={() => {
                hasPicture.value = !hasPicture.value;
              }}
            >
              <RingIcon />
              Ring
            </button>
          </>
        }
        wanted={chosen.value}
        {...props}
      />
    </>
  );
}
