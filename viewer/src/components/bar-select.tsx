/** A choice among several in a bar of controls. */

interface Props<Value extends string> {
  readonly label: string;
  readonly choices: readonly { readonly value: Value; readonly text: string }[];
  readonly chosen: Value;
  readonly onChoose: (value: Value) => void;
}

export function BarSelect<Value extends string>({ label, choices, chosen, onChoose }: Props<Value>) {
  return (
    <select
      class="bar-select"
      aria-label={label}
      value={chosen}
      onChange={(event) => onChoose(event.currentTarget.value as Value)}
    >
      {choices.map(({ value, text }) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}
