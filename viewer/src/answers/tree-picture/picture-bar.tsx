/** The bar above a picture of a tree: direction, sizes, search. */

import { BarSelect } from "../../components/bar-select";
import { percentDigits } from "../../components/percent";
import "../choices.css";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { plural } from "../../components/format";
import type { PictureModel, TreeDirection } from "./picture-model";
import { nextMatch } from "./search";

interface Props {
  readonly model: PictureModel;
  readonly onFocus: (box: number) => void;
  /** Buttons at the end. */
  readonly children: ComponentChildren;
}

const DIRECTIONS: readonly { readonly value: TreeDirection; readonly text: string; readonly title: string }[] = [
  { value: "down", text: "Top down", title: "Callees are below their callers" },
  { value: "up", text: "Bottom up", title: "Names by their own size; below each, its callers" },
];

export function PictureBar({ model, onFocus, children }: Props) {
  const group = useId();
  const matches = model.matches.value;
  const go = (step: 1 | -1) => {
    const box = nextMatch(model.order.peek(), (each) => model.isMatch(each), model.current.peek(), step);
    if (box >= 0) {
      onFocus(box);
    }
  };
  return (
    <div class="table-toolbar">
      <fieldset class="range-switch">
        <legend class="visually-hidden">Direction of the tree</legend>
        {DIRECTIONS.map(({ value, text, title }) => (
          <label key={value} class="range-choice" title={title}>
            <input
              type="radio"
              name={group}
              checked={model.direction.value === value}
              onChange={() => model.setDirection(value)}
            />
            <span>{text}</span>
          </label>
        ))}
      </fieldset>
      {model.sizeColumns.length > 1 && (
        <BarSelect
          label="Sizes of boxes"
          choices={model.sizeColumns.map(({ id, title }) => ({ value: id, text: title }))}
          chosen={model.sizeColumn.value ?? ""}
          onChoose={(id) => model.setSizeColumn(id)}
        />
      )}
      <input
        type="search"
        class="table-filter"
        placeholder="Find names"
        aria-label={`Find names in the picture of ${model.table.title}`}
        value={model.search.value}
        onInput={(event) => {
          model.search.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") {
            go(event.shiftKey ? -1 : 1);
          } else if (event.key === "Escape" && model.search.value !== "") {
            event.stopPropagation();
            model.search.value = "";
          }
        }}
      />
      <span class="table-count" role="status">
        {matches === null ? "" : `${plural(matches.rows, "row")}, ${percentDigits(matches.share, 1)} %`}
      </span>
      <span class="topbar-space" />
      {children}
    </div>
  );
}
