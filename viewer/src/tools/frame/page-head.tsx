/** The bar above the figures of a page: what it chooses by, whose events are looked at, and in which range. */

import type { ComponentChildren } from "preact";
import type { PageProps } from "../contract";
import { PlacePicker } from "./place-picker";

interface Props<Fields> extends Pick<PageProps<Fields>, "context" | "fields" | "setFields"> {
  readonly children?: ComponentChildren;
}

export function PageHead<Fields extends { readonly tracks: string }>({
  context,
  fields,
  setFields,
  children,
}: Props<Fields>) {
  return (
    <div class="tool-bar is-flat">
      {children}
      <PlacePicker
        trace={context.trace}
        tracks={fields.tracks}
        onChoose={(tracks) => setFields({ ...fields, tracks })}
      />
      <p class="page-of">Figures are of {context.rangeText}.</p>
    </div>
  );
}
