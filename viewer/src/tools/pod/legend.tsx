/** Legend of the map's colours: the least and most of it, and whether much is good. */

import type { TimeBase } from "@tilescope/client";
import { heatColor } from "../../answers/chart-style";
import { figureText } from "../../answers/figures";
import { theme } from "../../state/settings";
import type { Heat } from "./heat";
import { legendWords } from "./parts";

const STEPS = [0, 0.25, 0.5, 0.75, 1];

interface Props {
  readonly heat: Heat;
  readonly colour: string;
  readonly title: string;
  readonly time: TimeBase;
  readonly hasStragglers: boolean;
}

export function PodLegend({ heat, colour, title, time, hasStragglers }: Props) {
  const text = (value: Heat["least"]) => {
    const { digits, unit } = figureText({ kind: heat.kind, unit: "" }, value, time);
    return `${digits} ${unit}`.trim();
  };
  return (
    <p class="pod-legend">
      <strong>{title}</strong>
      <span>{text(heat.least)}</span>
      <svg width="80" height="12" aria-hidden="true">
        {STEPS.map((step) => (
          <rect key={step} x={16 * 4 * step} width="16" height="12" fill={heatColor(step, theme.value)} />
        ))}
      </svg>
      <span>{text(heat.most)}</span>
      <span class="pod-worth">{legendWords(colour, theme.value === "light" ? "Darker" : "Brighter")}.</span>
      {hasStragglers && <span class="pod-worth">▲ keeps others waiting.</span>}
    </p>
  );
}
