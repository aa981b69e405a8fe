/** A few choices side by side, of which one holds. */

import "../../answers/choices.css";
import { useId } from "preact/hooks";

interface Props<Value extends string> {
  readonly label: string;
  readonly choices: readonly { readonly value: Value; readonly text: string }[];
  readonly chosen: Value;
  readonly onChoose: (value: Value) => void;
}

export function Choices<Value extends string>({ label, choices, chosen, onChoose }: Props<Value>) {
  const group = useId();
  return (
    <fieldset class="range-switch">
      <legend class="visually-hidden">{label}</legend>
      {choices.map(({ value, text }) => (
        <label key={value} class="range-choice">
          <input type="radio" name={group} value={value} checked={value === chosen} onChange={() => onChoose(value)} />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}
