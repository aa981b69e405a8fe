/** The rank whose queues and pipeline are shown, where several were recorded. */

import type { ToolAnswer } from "@tilescope/client";
import { ranksOf } from "./stages-model";

interface Props {
  readonly answer: ToolAnswer | null;
  /** Empty: the one with most steps in doubt. */
  readonly rank: string;
  readonly onChoose: (rank: string) => void;
}

export function RankPicker({ answer, rank, onChoose }: Props) {
  const ranks = answer === null ? [] : ranksOf(answer);
  if (ranks.length < 2 && rank === "") {
    return null;
  }
  const listed = rank === "" || ranks.includes(rank) ? ranks : [rank, ...ranks];
  return (
    <select
      class="bar-select"
      aria-label="Rank whose data preparation is shown"
      value={rank}
      onChange={(event) => onChoose(event.currentTarget.value)}
    >
      <option value="">Data of the rank most in doubt</option>
      {listed.map((number) => (
        <option key={number} value={number}>
          Data of rank {number}
        </option>
      ))}
    </select>
  );
}
