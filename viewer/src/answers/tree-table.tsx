/** A table whose rows form a tree: beside its rows, a picture of them that one can have above. */

import { useSignal } from "@preact/signals";
import type { ToolTable } from "@tilescope/client";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { TreeIcon } from "../components/icons";
import { DataTable } from "./data-table";
import type { Links } from "./links";
import type { TableChoices } from "./table-model";
import { TreePicture } from "./tree-picture/tree-picture";

interface Props {
  readonly table: ToolTable;
  readonly links: Links;
  readonly choices: TableChoices;
  readonly head: ComponentChildren;
  readonly rangeText: string;
  readonly onMore: ((more: string) => void) | null;
  readonly wanted: { readonly row: number } | null;
}

export function TreeTable({ table, links, choices, head, rangeText, onMore, wanted }: Props) {
  const chosen = useSignal<{ readonly row: number } | null>(null);
  const { hasPicture } = choices;
  useEffect(() => {
    chosen.value = wanted;
  }, [wanted, table]);
  const toggle = (
    <button
      type="button"
      class="button is-outlined"
      aria-pressed={hasPicture.value}
      title="The tree as a picture"
      onClick={() => {
        hasPicture.value = !hasPicture.value;
      }}
    >
      <TreeIcon />
      Picture
    </button>
  );
  return (
    <>
      {hasPicture.value && (
        <TreePicture
          table={table}
          links={links}
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
            {toggle}
          </>
        }
        table={table}
        links={links}
        choices={choices}
        wanted={chosen.value}
        onMore={onMore}
      />
    </>
  );
}

/** True for a table that can be drawn as a tree. */
export function isTree({ parent, columns }: ToolTable): boolean {
  return parent !== null && (columns[0]?.values.length ?? 0) > 0;
}
