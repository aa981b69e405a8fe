/** Trouble between the page and its server, above everything else, with the action that helps. */

import { useEffect, useState } from "preact/hooks";
import { estrangement, fate, type Link, link } from "../state/link";
import { useApp } from "./app-context";
import { CloseIcon } from "./icons";
import "../styles/link-banner.css";

interface Notice {
  readonly id: "slow" | "disconnected" | "login" | "updated" | "vanished" | "replaced";
  readonly text: string;
  readonly note: string;
  /** Label of the button that helps, if there is one. */
  readonly button?: string;
  readonly press?: () => void;
}

const COUNT_MS = 250;

/** Seconds until a time of the page's clock, as they are counted down. */
function useSecondsTo(timeMs: number | null): number | null {
  const [nowMs, setNow] = useState(() => performance.now());
  useEffect(() => {
    setNow(performance.now());
    if (timeMs === null) {
      return;
    }
    const timer = setInterval(() => setNow(performance.now()), COUNT_MS);
    return () => clearInterval(timer);
  }, [timeMs]);
  return timeMs === null ? null : Math.max(1, Math.ceil((timeMs - nowMs) / 1000));
}

function Countdown({ nextTryMs }: { nextTryMs: number | null }) {
  const seconds = useSecondsTo(nextTryMs);
  // Said once by a screen reader, and not every second.
  return <span aria-hidden="true">{seconds === null ? " Trying again …" : ` Trying again in ${seconds} s`}</span>;
}

function Waiting({ sinceMs }: { sinceMs: number }) {
  const [nowMs, setNow] = useState(() => performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), COUNT_MS);
    return () => clearInterval(timer);
  }, []);
  return <span aria-hidden="true">{` Waiting for ${Math.max(1, Math.floor((nowMs - sinceMs) / 1000))} s`}</span>;
}

function noticeOf(now: Link, app: ReturnType<typeof useApp>): Notice | null {
  const reload = () => location.reload();
  if (now.kind === "down") {
    const note = "Loaded data stay visible.";
    return { id: "disconnected", text: "Disconnected.", note, button: "Try now", press: () => app.tryLink() };
  }
  if (now.kind === "slow") {
    return { id: "slow", text: "The server is slow to answer.", note: "Data are still loading." };
  }
  if (estrangement.value.needsLogin) {
    const text = "The server asks for its token again.";
    return { id: "login", text, note: "You will return to this view.", button: "Log in", press: reload };
  }
  if (estrangement.value.isUpdated) {
    const note = "This page is of the previous version.";
    return { id: "updated", text: "Tilescope was updated; reload.", note, button: "Reload", press: reload };
  }
  switch (fate.value) {
    case "vanished": {
      const note = "Loaded data stay visible.";
      const press = () => app.openRun(null);
      return { id: "vanished", text: "This run is gone from the server.", note, button: "Show all runs", press };
    }
    case "replaced": {
      const note = "You see the previous one.";
      return {
        ...{ id: "replaced", text: "This run was replaced; reload to see the new one.", note },
        ...{ button: "Reload", press: reload },
      };
    }
    case "same":
      return null;
  }
}

export function LinkBanner() {
  const app = useApp();
  const now = link.value;
  const notice = noticeOf(now, app);
  const [closed, setClosed] = useState<Notice["id"] | null>(null);
  const id = notice?.id ?? null;
  useEffect(() => {
    if (id !== closed) {
      setClosed(null);
    }
  }, [id, closed]);
  if (notice === null || notice.id === closed) {
    return null;
  }
  return (
    <div class={now.kind === "down" ? "link-banner is-down" : "link-banner"} role="alert" data-notice={notice.id}>
      <p>
        <strong>
          {notice.text}
          {now.kind === "down" && <Countdown nextTryMs={now.nextTryMs} />}
          {now.kind === "slow" && <Waiting sinceMs={now.sinceMs} />}
        </strong>
        <span class="link-note">{notice.note}</span>
      </p>
      {notice.button !== undefined && (
        <button type="button" class="button is-outlined" onClick={notice.press}>
          {notice.button}
        </button>
      )}
      <button type="button" class="button is-icon" aria-label="Hide this message" onClick={() => setClosed(notice.id)}>
        <CloseIcon />
      </button>
    </div>
  );
}
