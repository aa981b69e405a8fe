/** The rank whose queues and pipeline are shown, where several were recorded. */

import type { ToolAnswer } from "@tilescope/client";
import { BarSelect } from "../../components/bar-select";
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
    <BarSelect
      label="Rank whose data preparation is shown"
      choices={["", ...listed].map((value) => ({
        value,
        text: value === "" ? "The rank that most likely has a problem" : `Data of rank ${value}`,
      }))}
      chosen={rank}
      onChoose={onChoose}
    />
  );
}
