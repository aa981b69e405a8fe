/** The choice of slices that are steps, where a trace marks none: a name typed, one of the candidates, or the plain one at once. */

import { formatDuration, type TimeBase, type ToolAnswer } from "@tilescope/client";
import { useId } from "preact/hooks";
import { formatCount } from "../../components/format";

/** Table of an answer that lists them. */
export const CANDIDATES = "step_candidates";

export interface StepCandidate {
  readonly name: string;
  readonly count: bigint;
  readonly devices: bigint;
  readonly mean: bigint;
  readonly isProposed: boolean;
}

interface Props {
  readonly candidates: readonly StepCandidate[];
  readonly time: TimeBase;
  onChoose(name: string): void;
}

/** The candidates that an answer has. */
export function candidatesOf({ tables }: Pick<ToolAnswer, "tables">): readonly StepCandidate[] {
  const table = tables.find(({ id }) => id === CANDIDATES);
  const column = (id: string) => table?.columns.find((named) => named.id === id)?.values ?? [];
  const [counts, devices, means, flags] = ["count", "devices", "mean", "proposed"].map(column);
  return column("name").map((name, row) => ({
    name: String(name),
    count: BigInt(counts![row] as string),
    devices: BigInt(devices![row] as string),
    mean: BigInt(means![row] as string),
    isProposed: flags![row] === true,
  }));
}

/** "400 times on 4 devices, 784 ms on average". */
export function candidateText({ count, devices, mean }: StepCandidate, { tickPs }: Pick<TimeBase, "tickPs">): string {
  const where = devices === 1n ? "1 device" : `${formatCount(devices)} devices`;
  return `${formatCount(count)} times on ${where}, ${formatDuration(mean, tickPs)} on average`;
}

export function StepChoice({ stepName, candidates, time, onChoose }: Props & { readonly stepName: string }) {
  const list = useId();
  return (
    <label class="bar-flag" title="Slices of this name are the steps, where the trace marks none">
      Steps are called
      <input
        class="bar-text"
        type="text"
        value={stepName}
        placeholder="train_step"
        list={list}
        onChange={(event) => onChoose(event.currentTarget.value.trim())}
      />
      <datalist id={list}>
        {candidates.map((candidate) => (
          <option key={candidate.name} value={candidate.name} label={candidateText(candidate, time)} />
        ))}
      </datalist>
    </label>
  );
}

/** A button that takes the candidate that can hardly be anything else; nothing where there is none. */
export function StepProposal({ candidates, time, onChoose }: Props) {
  const plain = candidates.find(({ isProposed }) => isProposed);
  return plain === undefined ? null : (
    <p class="step-proposal">
      <button type="button" class="button is-outlined" onClick={() => onChoose(plain.name)}>
        Take {plain.name} as the steps
      </button>{" "}
      {candidateText(plain, time)}
    </p>
  );
}
