/** A button that copies text, and says that it has. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { copyText } from "../components/clipboard";
import { CheckIcon, CopyIcon } from "../components/icons";

const SAID_MS = 1600;

interface Props {
  readonly label: string;
  readonly title: string;
  /** `isRaw`: in ticks and bytes, which one asks for with Shift. */
  readonly text: (isRaw: boolean) => string;
}

export function CopyButton({ label, title, text }: Props) {
  const state = useSignal<"idle" | "copied" | "failed">("idle");
  useEffect(() => {
    if (state.value === "idle") {
      return;
    }
    const timer = setTimeout(() => {
      state.value = "idle";
    }, SAID_MS);
    return () => clearTimeout(timer);
  }, [state.value]);
  const copy = async ({ shiftKey }: MouseEvent) => {
    try {
      await copyText(text(shiftKey));
      state.value = "copied";
    } catch {
      state.value = "failed";
    }
  };
  const caption = { idle: label, copied: "Copied", failed: "Not allowed" }[state.value];
  return (
    <button type="button" class="button is-quiet" title={`${title}; with Shift in ticks and bytes`} onClick={copy}>
      {state.value === "copied" ? <CheckIcon /> : <CopyIcon />}
      <span aria-live="polite">{caption}</span>
    </button>
  );
}
