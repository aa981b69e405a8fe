/** The arguments of an event as a table, and the call stacks among them as lists. */

import { useState } from "preact/hooks";
import { formatCount, plural } from "../components/format";
import type { CallStack, ShownArg } from "./arguments";
import { shortPlace } from "./stack";

/** Longer texts are cut until one asks for all of them. */
const LONG_TEXT = 280;

/** Frames that are listed at first: the arguments are to be seen, too. */
const FRAMES_AT_FIRST = 6;

function Value({ arg }: { arg: ShownArg }) {
  const [isWhole, setWhole] = useState(false);
  const isLong = arg.text.length > LONG_TEXT;
  return (
    <td class="is-value" data-raw={arg.raw === arg.text ? undefined : arg.raw}>
      {arg.exact === "" ? (
        <span class={isLong && !isWhole ? "value is-cut" : "value"}>{arg.text}</span>
      ) : (
        <span data-exact={arg.exact} title={`${arg.name}: ${arg.exact}`}>
          {arg.text}
        </span>
      )}
      {isLong && (
        <button type="button" class="link" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Show less" : `Show all ${plural(arg.text.length, "character")}`}
        </button>
      )}
    </td>
  );
}

export function ArgumentRows({ args }: { args: readonly ShownArg[] }) {
  return (
    <>
      {args.map((arg, index) => (
        // An argument may come twice: its place is its identity.
        <tr key={`${index} ${arg.name}`}>
          <th scope="row">{arg.name}</th>
          <Value arg={arg} />
        </tr>
      ))}
    </>
  );
}

export function ArgumentsTable({ args }: { args: readonly ShownArg[] }) {
  return (
    <section>
      <h3>{args.length === 0 ? "No arguments" : plural(args.length, "argument")}</h3>
      <table class="facts" data-table="arguments">
        <tbody>
          <ArgumentRows args={args} />
        </tbody>
      </table>
    </section>
  );
}

/** The innermost frame first. */
export function StackList({ stack: { name, frames, raw } }: { stack: CallStack }) {
  const [isWhole, setWhole] = useState(false);
  const listed = isWhole ? frames : frames.slice(0, FRAMES_AT_FIRST);
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll("_", " ")}`;
  return (
    <section>
      <h3>{`${title}: ${plural(frames.length, "frame")}, the innermost first`}</h3>
      <ol class="stack" data-stack={name} data-raw={raw}>
        {listed.map(({ code, place }, k) => (
          // Recursion repeats frames: their place is their identity.
          <li key={`${k}`}>
            {code !== "" && <span class="stack-code">{code}</span>}
            {place !== "" && (
              <span class="stack-place" title={place}>
                {shortPlace(place)}
              </span>
            )}
          </li>
        ))}
      </ol>
      {frames.length > listed.length && (
        <button type="button" class="button is-small" onClick={() => setWhole(true)}>
          All {formatCount(frames.length)}
        </button>
      )}
    </section>
  );
}
