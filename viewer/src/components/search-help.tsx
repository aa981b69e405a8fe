/** A short list of what can be searched for: docs/search.md has all of it. An example that is pressed is searched for. */

import { PLACE_EXAMPLES } from "../state/typed-place";

const EXAMPLES: readonly (readonly [string, string])[] = [
  ["fusion", "the name contains it, in upper or lower case"],
  ['"all-reduce.1"', "the name is exactly this"],
  ["/^fusion\\.[0-9]+$/", "the name matches a regular expression"],
  ["dur>1ms", "the duration: > >= < <= = with ns, us, ms or s"],
  ["cat:gemm", "the category contains it"],
  ["track:XLA", "what the track is called; process: works alike"],
  ["arg:bytes>1e6", "an argument: = compares text, > and < numbers"],
  ['arg:"Call stack"~resnet.py', "an argument contains it, in upper or lower case"],
  ["fusion dur>10us track:Ops", "several terms: all of them hold"],
];

export function SearchHelp({ onChoose }: { onChoose: (text: string) => void }) {
  return (
    <table class="search-help" aria-label="Search syntax">
      <tbody>
        {[...EXAMPLES, ...PLACE_EXAMPLES].map(([text, meaning]) => (
          <tr key={text}>
            <th scope="row">
              <button type="button" onClick={() => onChoose(text)}>
                {text}
              </button>
            </th>
            <td>{meaning}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
