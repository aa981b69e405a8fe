/** Choice between the runs of two timelines, where both have one: whose run a page is of. */

import { useApp } from "../../components/app-context";
import { hasRun, runIdOf } from "../../state/run";
import { runs } from "../../state/runs";
import { Choices } from "./choices";

const NUMBERS = ["1", "2"] as const;

export function PaneChoice() {
  const app = useApp();
  const [, second] = app.panes;
  if (second === undefined || !hasRun(second.runView.value)) {
    return null;
  }
  const choices = app.panes.map(({ runView }, k) => {
    const shown = runView.value;
    const id = runIdOf(shown);
    const listed = () => runs.value?.find((run) => run.id === id)?.name ?? id ?? "no run";
    return {
      value: NUMBERS[k]!,
      text: `${NUMBERS[k]} ${shown.kind === "open" ? shown.trace.manifest.name : listed()}`,
    };
  });
  return (
    <div class="pane-choice">
      <Choices
        label="Run of which timeline"
        choices={choices}
        chosen={app.pane === app.mainPane ? "1" : "2"}
        onChoose={() => app.act("other-pane")}
      />
    </div>
  );
}
