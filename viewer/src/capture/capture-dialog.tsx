/** The dialog that captures a trace from a running job. */

import { useEffect, useRef } from "preact/hooks";
import { CloseIcon } from "../components/icons";
import { CaptureFormView } from "./capture-form";
import { CaptureProgress } from "./capture-progress";
import type { CaptureRun } from "./capture-run";
import { capitalised } from "./words";
import "../styles/dialog.css";
import "./capture.css";

interface Props {
  readonly run: CaptureRun;
  readonly onOpen: (run: string) => void;
  readonly onMonitor: (host: string) => void;
  readonly onClose: () => void;
}

function Body({ run, onOpen, onMonitor }: Omit<Props, "onClose">) {
  const view = run.view.value;
  switch (view.kind) {
    case "loading":
      return <p class="capture-hint">Asking the server what can be captured …</p>;
    case "unknown":
      return (
        <>
          <p class="error-line" role="alert">
            {view.message}
          </p>
          <div class="capture-buttons">
            <button type="button" class="button is-primary" onClick={() => void run.load()}>
              Try again
            </button>
          </div>
        </>
      );
    case "form":
      if (!view.room.allowed) {
        return <NotAllowed reason={view.room.reason ?? "captures are not possible here"} />;
      }
      return (
        <CaptureFormView
          room={view.room}
          refusal={view.refusal}
          isBeginning={view.isBeginning}
          onBegin={(order) => void run.begin(order)}
          onMonitor={onMonitor}
        />
      );
    case "capture": {
      const { order } = view.heard.capture;
      return (
        <CaptureProgress
          heard={view.heard}
          stop={() => void run.stop()}
          again={() => void run.begin({ ...order, runName: null })}
          change={() => run.showForm()}
          open={onOpen}
        />
      );
    }
  }
}

/** The reason says which option of the server allows it. */
function NotAllowed({ reason }: { reason: string }) {
  const [what, ...todo] = reason.split(": ");
  return (
    <div class="capture-notice" role="status">
      <h3>{capitalised(what!)}</h3>
      {todo.length > 0 && <p>{capitalised(todo.join(": "))}.</p>}
    </div>
  );
}

export function CaptureDialog({ run, onOpen, onMonitor, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    void run.load();
  }, []);
  return (
    <dialog ref={dialog} class="capture-dialog" aria-label="Capture a trace" onClose={onClose}>
      <div class="dialog-head">
        <h2>Capture a trace</h2>
        <button type="button" class="button is-icon" aria-label="Close" onClick={() => dialog.current?.close()}>
          <CloseIcon />
        </button>
      </div>
      <div class="capture-body">
        <Body
          run={run}
          onOpen={(id) => {
            dialog.current?.close();
            onOpen(id);
          }}
          onMonitor={(host) => {
            dialog.current?.close();
            onMonitor(host);
          }}
        />
      </div>
    </dialog>
  );
}
