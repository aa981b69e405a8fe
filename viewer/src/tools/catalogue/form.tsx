/** The form of a tool's question, made of the fields that the server says it has. */

import { useId, useState } from "preact/hooks";
import { hostNoun } from "../../state/host-noun";
import type { PageTexts } from "../contract";
import { areSameTexts } from "../field-texts";
import { PlaceOptions } from "../frame/place-picker";
import { placesTitle, type RunPlace } from "../frame/run-places";
import { BuildSelects } from "./build-selects";
import { type FormField, faults } from "./form-fields";

/** The field that says whose events are looked at. */
const TRACKS = "tracks";

export interface FormProps {
  readonly fields: readonly FormField[];
  readonly texts: PageTexts;
  /** Whose tracks may be chosen. */
  readonly places: readonly RunPlace[];
  /** The hosts of the run. */
  readonly hosts: readonly string[];
  readonly onAsk: (texts: PageTexts) => void;
}

export function Form({ fields, texts, places, hosts, onAsk }: FormProps) {
  const [draft, setDraft] = useState(texts);
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  // Back and Forward bring other texts. The same ones, made anew, leave what somebody is typing: it was lost where the
  // page was drawn once more before Enter.
  const [taken, setTaken] = useState(texts);
  if (!areSameTexts(taken, texts)) {
    setTaken(texts);
    setDraft(texts);
    setProblems({});
  }
  return (
    <form
      class="tool-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const wrong = faults(fields, draft);
        setProblems(wrong);
        const first = Object.keys(wrong)[0];
        if (first === undefined) {
          onAsk(draft);
        } else {
          event.currentTarget.querySelector<HTMLElement>(`[name="${first}"]`)?.focus();
        }
      }}
    >
      {fields.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          text={draft[field.name] ?? ""}
          fault={problems[field.name] ?? ""}
          places={field.name === TRACKS ? places : []}
          hosts={hosts}
          onInput={(text) => setDraft({ ...draft, [field.name]: text })}
        />
      ))}
      <button type="submit" class="button is-primary">
        Show
      </button>
    </form>
  );
}

interface FieldProps {
  readonly field: FormField;
  readonly text: string;
  readonly fault: string;
  readonly places: readonly RunPlace[];
  readonly hosts: readonly string[];
  readonly onInput: (text: string) => void;
}

function FieldInput({ field, text, fault, places, hosts, onInput }: FieldProps) {
  const id = useId();
  const { name, help, input, isRequired } = field;
  const label = places.length > 1 ? placesTitle(places) : field.label;
  const shared = {
    id,
    name,
    "aria-describedby": `${id}-help`,
    "aria-invalid": fault !== "",
    "aria-required": isRequired,
  };
  return (
    <div class={`tool-field is-${places.length > 1 ? "place" : input.kind}`} title={help}>
      <label for={id}>
        {label}
        {isRequired && <span aria-hidden="true"> *</span>}
      </label>
      {places.length > 1 ? (
        <select {...shared} value={text} onChange={(event) => onInput(event.currentTarget.value)}>
          <PlaceOptions places={places} tracks={text} />
        </select>
      ) : input.kind === "host" && hosts.length > 0 ? (
        <select {...shared} value={text} onChange={(event) => onInput(event.currentTarget.value)}>
          <option value="">{isRequired ? "–" : `All ${hostNoun(hosts).many}`}</option>
          {text !== "" && !hosts.includes(text) && <option value={text}>{text}</option>}
          {hosts.map((host) => (
            <option key={host} value={host}>
              {host}
            </option>
          ))}
        </select>
      ) : input.kind === "build" ? (
        <BuildSelects shared={shared} label={label} text={text} most={input.most} onInput={onInput} />
      ) : input.kind === "choice" ? (
        <select
          {...shared}
          value={text === "" ? field.default : text}
          onChange={(event) => onInput(event.currentTarget.value)}
        >
          {field.default === "" && <option value="">–</option>}
          {input.choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      ) : input.kind === "flag" ? (
        <input
          {...shared}
          type="checkbox"
          checked={(text === "" ? field.default : text) === "true"}
          onChange={(event) => onInput(String(event.currentTarget.checked))}
        />
      ) : (
        <input
          {...shared}
          type="text"
          inputMode={input.kind === "integer" ? "numeric" : "text"}
          placeholder={field.default === "" ? (isRequired ? "" : "any") : field.default}
          value={text}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
      <span id={`${id}-help`} class={fault === "" ? "visually-hidden" : "field-fault"}>
        {fault === "" ? help : fault}
      </span>
    </div>
  );
}
