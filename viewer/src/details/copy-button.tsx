/** A button that copies a text, and says that it has. */

import { useEffect, useState } from "preact/hooks";
import { copyText } from "../components/clipboard";
import { CheckIcon, CopyIcon } from "../components/icons";

const DONE_MS = 1200;

export function CopyButton({ what, text }: { what: string; text: () => string }) {
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    const timer = isDone ? setTimeout(() => setDone(false), DONE_MS) : undefined;
    return () => clearTimeout(timer);
  }, [isDone]);
  return (
    <button
      type="button"
      class="button is-icon"
      title={what}
      aria-label={isDone ? "Copied" : what}
      onClick={async () => {
        await copyText(text());
        setDone(true);
      }}
    >
      {isDone ? <CheckIcon /> : <CopyIcon />}
    </button>
  );
}
