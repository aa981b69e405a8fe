/** All steps, or one of them. */

import { useSignal } from "@preact/signals";
import { Choices } from "../frame/choices";

interface Props {
  /** Numbers of the steps that there are, ascending. */
  readonly steps: readonly string[];
  /** Empty: all. */
  readonly step: string;
  readonly onStep: (step: string) => void;
}

export function StepSlider({ steps, step, onStep }: Props) {
  const moving = useSignal<number | null>(null);
  const index = moving.value ?? Math.max(0, steps.indexOf(step));
  if (steps.length < 2) {
    return null;
  }
  return (
    <>
      <Choices
        label="Which steps"
        choices={[
          { value: "all", text: "All steps" },
          { value: "one", text: "One step" },
        ]}
        chosen={step === "" ? "all" : "one"}
        onChoose={(next) => onStep(next === "all" ? "" : steps[index]!)}
      />
      {step !== "" && (
        <label class="pod-slider">
          <input
            type="range"
            min={0}
            max={steps.length - 1}
            value={index}
            aria-label="Step"
            aria-valuetext={`Step ${steps[index]}`}
            onInput={(event) => {
              moving.value = Number(event.currentTarget.value);
            }}
            onChange={(event) => {
              moving.value = null;
              onStep(steps[Number(event.currentTarget.value)]!);
            }}
          />
          <output>{steps[index]}</output>
        </label>
      )}
    </>
  );
}
