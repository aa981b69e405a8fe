/** A table, and above it the picture that one can have of its rows: their tree, or a column's shares as a ring. */

import { useSignal } from "@preact/signals";
import type { ToolTable } from "@tilescope/client";
import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { RingIcon, TreeIcon } from "../components/icons";
import { DataTable } from "./data-table";
import type { Links } from "./links";
import { ringColumns } from "./share-ring/ring-parts";
import { ShareRing } from "./share-ring/share-ring";
import { type TableChoices, TableModel } from "./table-model";
import { TreePicture } from "./tree-picture/tree-picture";
import { isTree } from "./tree-rows";

interface PictureProps {
  readonly table: ToolTable;
  readonly links: Links;
  readonly choices: TableChoices;
  readonly rangeText: string;
}

interface Picture {
  readonly Icon: ComponentType;
  readonly word: string;
  readonly title: string;
  readonly Drawn: ComponentType<PictureProps & { readonly onRow: (row: number) => void }>;
}

const TREE: Picture = { Icon: TreeIcon, word: "Picture", title: "The tree as a picture", Drawn: TreePicture };
const RING: Picture = { Icon: RingIcon, word: "Ring", title: "The shares as a ring", Drawn: ShareRing };

interface Props extends PictureProps {
  readonly head: ComponentChildren;
  readonly onMore: ((more: string) => void) | null;
  readonly wanted: { readonly row: number } | null;
  readonly onPointed?: (row: number) => void;
}

export function PictureTable({ head, rangeText, wanted, ...props }: Props) {
  const { table, links, choices } = props;
  const { hasPicture } = choices;
  const chosen = useSignal(wanted);
  const picture = useMemo(() => pictureOf(table, links, choices), [table, links, choices]);
  useEffect(() => {
    chosen.value = wanted;
  }, [wanted, table]);
  return (
    <>
      {picture !== null && hasPicture.value && (
        <picture.Drawn
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
            {picture !== null && (
              <button
                type="button"
                class="button is-outlined"
                aria-pressed={hasPicture.value}
                title={picture.title}
                onClick={() => {
                  hasPicture.value = !hasPicture.value;
                }}
              >
                <picture.Icon />
                {picture.word}
              </button>
            )}
          </>
        }
        wanted={chosen.value}
        {...props}
      />
    </>
  );
}

function pictureOf(table: ToolTable, links: Links, choices: TableChoices): Picture | null {
  if (isTree(table)) {
    return TREE;
  }
  return ringColumns(new TableModel(table, links, choices)).length > 0 ? RING : null;
}
