/** The steps that are compared: which is which, how long they take, the ways to them, and the way out. */

import { CloseIcon, GoIcon } from "../components/icons";
import type { ComparedSteps } from "./step-comparison";

interface Props {
  readonly compared: ComparedSteps | null;
  /** Duration of a step in words; "" where the chart does not have it. */
  readonly durationOf: (step: bigint) => string;
  /** Leads to a step in the timeline; null where nothing does. */
  readonly wayTo: (step: bigint) => (() => void) | null;
  /** Shows two steps in two timelines, the starts at one place; null where nothing does. */
  readonly showBoth: ((first: bigint, second: bigint) => void) | null;
  readonly onClear: () => void;
}

export function ComparisonBar({ compared, durationOf, wayTo, showBoth, onClear }: Props) {
  if (compared === null) {
    return (
      <p class="comparison">
        Click a step to see what takes longer in it than in others, then a second one to compare the two. Drag to look
        at some steps only.
      </p>
    );
  }
  const { first, second } = compared;
  const side = { durationOf, wayTo };
  return (
    <section class="comparison" aria-label="Steps that are compared">
      <Side letter="A" step={first} {...side} />
      {second === null ? (
        <span>beside the mean of all others. Click another step to compare the two.</span>
      ) : (
        <>
          beside <Side letter="B" step={second} {...side} />
          {showBoth !== null && (
            <button
              type="button"
              class="button is-outlined"
              title="Two timelines, with the starts of the steps at one place"
              onClick={() => showBoth(first, second)}
            >
              Show both in the timeline
              <GoIcon />
            </button>
          )}
        </>
      )}
      <button
        type="button"
        class="button is-outlined"
        title="Stop comparing steps (Esc on the chart)"
        onClick={onClear}
      >
        <CloseIcon />
        Stop comparing
      </button>
    </section>
  );
}

interface SideProps extends Pick<Props, "durationOf" | "wayTo"> {
  readonly letter: string;
  readonly step: bigint;
}

function Side({ letter, step, durationOf, wayTo }: SideProps) {
  const go = wayTo(step);
  return (
    <span class="comparison-side">
      <span class="comparison-letter">{letter}</span>
      <strong>Step {String(step)}</strong> {durationOf(step)}
      {go !== null && (
        <button type="button" class="note-link" title={`Step ${step} in the timeline`} onClick={go}>
          Show<span class="visually-hidden"> step {String(step)} in the timeline</span>
          <GoIcon />
        </button>
      )}
    </span>
  );
}
