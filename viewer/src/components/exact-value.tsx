/** An exact sum of a bin, or what stands in its place until it is there: a bar of about its width, so that nothing jumps. */

import type { ComponentChildren } from "preact";
import type { ExactSums } from "../raster/hit";
import { isUnknown } from "../state/exact";
import type { BinFacts } from "../state/selection";
import { useApp } from "./app-context";

interface Props {
  readonly bin: BinFacts;
  readonly widthCh: number;
  readonly children: (sums: ExactSums) => ComponentChildren;
}

export function ExactValue({ bin, widthCh, children }: Props) {
  const { pane } = useApp();
  if (bin.exact !== null) {
    return <>{children(bin.exact)}</>;
  }
  if (isUnknown(pane, bin)) {
    return <span class="dim">unknown</span>;
  }
  return (
    <span class="pending" style={{ width: `${widthCh}ch` }}>
      <span class="visually-hidden">…</span>
    </span>
  );
}
