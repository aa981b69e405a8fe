/** Choice of the server's builds for a field of a form: one list for each that is named, and one for another. */

import { useEffect } from "preact/hooks";
import { useApp } from "../../components/app-context";
import { runs } from "../../state/runs";
import { buildOptions, chosenBuilds, withBuild } from "./build-choice";

interface Props {
  /** Attributes of the list that the field's label belongs to. */
  readonly shared: Readonly<Record<string, unknown>>;
  readonly label: string;
  readonly text: string;
  readonly most: number;
  readonly onInput: (text: string) => void;
}

export function BuildSelects({ shared, label, text, most, onInput }: Props) {
  const app = useApp();
  useEffect(() => app.refreshRuns(), [app]);
  const options = buildOptions(runs.value ?? []);
  const chosen = chosenBuilds(text);
  const lists = chosen.length < most ? [...chosen, ""] : chosen;
  return (
    <span class="build-selects">
      {lists.map((build, place) => (
        <select
          key={`list ${place}`}
          {...(place === 0 ? shared : { "aria-label": `${label}, number ${place + 1}` })}
          value={build}
          onChange={(event) => onInput(withBuild(text, place, event.currentTarget.value))}
        >
          <option value="">{place === 0 ? "None chosen" : build === "" ? "Add another" : "Take away"}</option>
          {build !== "" && !options.some(({ value }) => value === build) && (
            <option value={build}>{build} (not there)</option>
          )}
          {options
            .filter(({ value }) => value === build || !chosen.includes(value))
            .map(({ value, label: name }) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
        </select>
      ))}
    </span>
  );
}
