/** The dialog that opens files of this computer. */

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { formatBytes, formatPercent } from "../components/format";
import { CloseIcon } from "../components/icons";
import { AddressForm } from "./address-form";
import { type ChosenFile, chosenFiles, titleOf } from "./chosen-files";
import type { UploadRun, UploadView } from "./upload-run";
import "../styles/dialog.css";
import "./upload.css";

interface Props {
  readonly run: UploadRun;
  readonly onClose: () => void;
}

type Choice = Extract<UploadView, { kind: "choice" }>;

function Room({ room }: Pick<Choice, "room">) {
  return (
    <p class="upload-hint">
      {room.seenBy} It is removed when nobody has opened it for {room.keptDays} days.
    </p>
  );
}

function Addresses({ run, prefixes }: { run: UploadRun; prefixes: readonly string[] }) {
  return prefixes.length > 0 ? <AddressForm prefixes={prefixes} open={(address) => run.openAddress(address)} /> : null;
}

/** A button that opens the browser's own dialog. */
function FileButton(props: {
  label: string;
  isFolder: boolean;
  isPrimary: boolean;
  take: (files: ChosenFile[]) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    input.current!.webkitdirectory = props.isFolder;
  }, []);
  return (
    <>
      <button
        type="button"
        class={`button ${props.isPrimary ? "is-primary" : "is-outlined"}`}
        onClick={() => input.current?.click()}
      >
        {props.label}
      </button>
      <input
        ref={input}
        type="file"
        class="upload-input"
        tabIndex={-1}
        aria-label={props.label}
        multiple
        onChange={(event) => {
          const files = chosenFiles(event.currentTarget.files ?? []);
          event.currentTarget.value = "";
          props.take(files);
        }}
      />
    </>
  );
}

function ChoiceForm({ run, view }: { run: UploadRun; view: Choice }) {
  const { room, files, wrong } = view;
  const send = (files: readonly ChosenFile[]) => void run.send(files);
  const first = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => first.current?.querySelector("button")?.focus(), [files]);
  if (files !== null) {
    const total = files.reduce((bytes, { file }) => bytes + BigInt(file.size), 0n);
    return (
      <>
        <p class="upload-title">
          {titleOf(files)}, {formatBytes(total)}
        </p>
        <Room room={room} />
        <div class="upload-buttons" ref={first}>
          <button type="button" class="button is-primary" onClick={() => send(files)}>
            Open
          </button>
          <button type="button" class="button is-outlined" onClick={() => void run.load()}>
            Choose others
          </button>
        </div>
      </>
    );
  }
  return (
    <>
      {wrong !== null && (
        <p class="error-line" role="alert">
          {wrong}
        </p>
      )}
      <p>Choose trace files, or the folder of a run, or drop them anywhere on the page.</p>
      <Room room={room} />
      <div class="upload-buttons" ref={first}>
        <FileButton label="Choose files …" isFolder={false} isPrimary take={send} />
        <FileButton label="Choose a folder …" isFolder isPrimary={false} take={send} />
      </div>
      <Addresses run={run} prefixes={room.prefixes} />
    </>
  );
}

function Sending({ run, view }: { run: UploadRun; view: Extract<UploadView, { kind: "sending" }> }) {
  const { title, sent, total, pause } = view;
  const part = total === 0n ? 1 : Number(sent) / Number(total);
  return (
    <>
      <p class="upload-title">{title}</p>
      <div
        class="progress"
        role="progressbar"
        aria-label={`Sending ${title}`}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(part * 100)}
      >
        <div style={{ width: `${part * 100}%` }} />
      </div>
      <p class="upload-hint">
        {formatBytes(sent)} of {formatBytes(total)} ({formatPercent(part)})
      </p>
      <p class="upload-hint" role="status">
        {pause === null ? "It goes on when this dialog is closed." : `Trying again: ${pause}`}
      </p>
      <div class="upload-buttons">
        <button type="button" class="button is-outlined" onClick={() => void run.cancel()}>
          Cancel
        </button>
      </div>
    </>
  );
}

function Failure({ message, children }: { message: string; children: ComponentChildren }) {
  return (
    <>
      <p class="error-line" role="alert">
        {message}
      </p>
      <div class="upload-buttons">{children}</div>
    </>
  );
}

function Body({ run }: { run: UploadRun }) {
  const view = run.view.value;
  switch (view.kind) {
    case "loading":
      return <p class="upload-hint">Asking the server …</p>;
    case "refused":
      return (
        <>
          <p class="upload-notice" role="status">
            {view.reason.charAt(0).toUpperCase() + view.reason.slice(1)}.
          </p>
          <Addresses run={run} prefixes={view.prefixes} />
        </>
      );
    case "choice":
      return <ChoiceForm run={run} view={view} />;
    case "sending":
      return <Sending run={run} view={view} />;
    case "unknown":
      return (
        <Failure message={view.message}>
          <button type="button" class="button is-primary" onClick={() => void run.load()}>
            Try again
          </button>
        </Failure>
      );
    case "failed":
      return (
        <Failure message={view.message.startsWith(view.title) ? view.message : `${view.title}: ${view.message}`}>
          {!view.isFinal && (
            <button type="button" class="button is-primary" onClick={() => void run.again()}>
              Try again
            </button>
          )}
          <button
            type="button"
            class={`button ${view.isFinal ? "is-primary" : "is-outlined"}`}
            onClick={() => void run.cancel()}
          >
            Choose others
          </button>
        </Failure>
      );
  }
}

export function UploadDialog({ run, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  // At once: the form focuses its button when it is there, and a dialog that opens later would take the focus to its first.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="upload-dialog" aria-label="Open a file" onClose={onClose}>
      <div class="dialog-head">
        <h2>Open a file</h2>
        <button type="button" class="button is-icon" aria-label="Close" onClick={() => dialog.current?.close()}>
          <CloseIcon />
        </button>
      </div>
      <div class="upload-body">
        <Body run={run} />
      </div>
    </dialog>
  );
}
