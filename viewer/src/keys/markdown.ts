/** `docs/keys.md`, written from the tables. A test compares the file with this, `npm run docs` writes it. */

import { GESTURE_TABLE } from "./gesture-table";
import { KEY_GROUPS, KEY_TABLE } from "./table";
import { TOUCH_TABLE } from "./touch-gestures";

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

export function keysMarkdown(): string {
  const lines = ["# Keys and mouse", ""];
  lines.push("Written by `npm run docs` in `viewer/` from `viewer/src/keys/`. In the viewer: press `?`.", "");
  lines.push(
    "The letter on a key counts; where a keyboard types no Latin letters, the place that it has on one that does.",
    "",
  );
  for (const group of KEY_GROUPS) {
    lines.push(`## ${group}`, "", row(["keys", "what it does"]), row(["---", "---"]));
    for (const binding of KEY_TABLE.filter((entry) => entry.group === group)) {
      const keys = binding.keys.map((chord) => `\`${chord.shown}\``).join(" ");
      lines.push(row([keys, binding.held ? `${binding.label} (hold; shift: faster)` : binding.label]));
    }
    lines.push("");
  }
  lines.push("## Mouse", "", row(["action", "what it does"]), row(["---", "---"]));
  for (const gesture of GESTURE_TABLE) {
    lines.push(row([gesture.shown, gesture.label]));
  }
  lines.push("", "## Touch", "", row(["action", "what it does"]), row(["---", "---"]));
  for (const gesture of TOUCH_TABLE) {
    lines.push(row([gesture.shown, gesture.label]));
  }
  lines.push(
    "",
    "`W`, `S`, `A` and `D` are the places on the keyboard, whatever the layout types there. Keys are ignored while",
  );
  lines.push("text has the focus. A press that moves by 5 px or more is a drag.", "");
  lines.push(
    "Pages beside the timeline have the keys of the theme, of this help and of the way back, and their own: `?` lists them.",
  );
  return `${lines.join("\n")}\n`;
}
