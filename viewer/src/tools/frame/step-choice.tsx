/** The choice of slices that are steps, where a trace marks none: a name typed, one of the candidates, or the plain one at once. */

import { formatDuration, type TimeBase, type ToolAnswer } from "@tilescope/client";
import { useId } from "preact/hooks";
import { formatCount } from "../../components/format";
import { StateCard, sentence } from "../../requests/states";
import { answerInWords } from "./answer-words";
import { inPageWords } from "./page-words";

/** Table of an answer that lists them. */
const CANDIDATES = "step_candidates";

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

/** An answer in the words of the page, without what the choice of steps shows: the candidates, and the note on the plain one. */
export function besideStepChoice(answer: ToolAnswer): ToolAnswer {
  const plain = candidatesOf(answer).find(({ isProposed }) => isProposed);
  const isProposal = (text: string) => plain !== undefined && text.includes(plain.name) && text.includes("step_name");
  const notes = answer.notes.filter(({ text }) => !isProposal(text));
  return answerInWords({ ...answer, notes, tables: answer.tables.filter(({ id }) => id !== CANDIDATES) }, inPageWords);
}

/** The card of an answer that has no figure: the reasons that stand with its facts. */
export function NotRecorded({ facts }: Pick<ToolAnswer, "facts">) {
  return (
    <StateCard title="Not recorded in this run" state="empty">
      {[...new Set(facts.map(({ note }) => note))].filter(Boolean).map((note) => (
        <p key={note}>{sentence(inPageWords(note.replace(/^not recorded: /, "")))}</p>
      ))}
    </StateCard>
  );
}
