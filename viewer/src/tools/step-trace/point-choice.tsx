/** The operators with which forward starts and backward ends: a field for each, with those of the step to choose from. */

import type { ToolAnswer } from "@tilescope/client";
import { useId, useMemo } from "preact/hooks";
import type { StepTraceFields } from "./fields";

interface Props {
  /** Null: there is none yet. */
  readonly answer: ToolAnswer | null;
  readonly fields: StepTraceFields;
  readonly onChoose: (fields: StepTraceFields) => void;
}

export function PointChoice({ answer, fields, onChoose }: Props) {
  const list = useId();
  const names = useMemo(() => operatorNames(answer), [answer]);
  if (names.length === 0 && fields.forwardStart === "" && fields.backwardEnd === "") {
    return null;
  }
  return (
    <>
      <PointField
        label="Forward starts with"
        list={list}
        text={fields.forwardStart}
        onChoose={(forwardStart) => onChoose({ ...fields, forwardStart })}
      />
      <PointField
        label="Backward ends with"
        list={list}
        text={fields.backwardEnd}
        onChoose={(backwardEnd) => onChoose({ ...fields, backwardEnd })}
      />
      <datalist id={list}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

interface FieldProps {
  readonly label: string;
  readonly list: string;
  readonly text: string;
  readonly onChoose: (text: string) => void;
}

function PointField({ label, list, text, onChoose }: FieldProps) {
  const id = useId();
  return (
    <div class="tool-field is-text" title="The name of an operator, in full or behind its last /">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        list={list}
        value={text}
        placeholder="as marked"
        maxLength={1024}
        onChange={(event) => onChoose(event.currentTarget.value.trim())}
      />
    </div>
  );
}

/** The operators of the step that the answer lists, each once, in its order. */
function operatorNames(answer: ToolAnswer | null): readonly string[] {
  const operators = answer?.tables.find(({ id }) => id === "operators");
  const names = operators?.columns.find(({ id }) => id === "name")?.values ?? [];
  return [...new Set(names.filter((name): name is string => typeof name === "string"))];
}
