/** Form of a capture: from where, how long, and how much of it. */

import { useSignal } from "@preact/signals";
import type { CaptureOrder, CaptureRoom, CaptureTarget } from "@tilescope/client";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { addressesOf, type CaptureField, type CaptureForm, orderOf, rememberedForm, rememberForm } from "./form";

const HOST_LEVELS = [
  [0, "Nothing"],
  [1, "Annotations of the job"],
  [2, "Annotations, costly calls"],
  [3, "Everything"],
] as const;

interface Props {
  readonly room: CaptureRoom;
  readonly refusal: string | null;
  readonly isBeginning: boolean;
  readonly onBegin: (order: CaptureOrder) => void;
  readonly onMonitor: (host: string) => void;
}

function Field(props: { label: string; hint?: string; id: string; wrong: string | null; children: ComponentChildren }) {
  const { label, hint, id, wrong, children } = props;
  return (
    <div class="capture-field">
      <label for={id}>{label}</label>
      {children}
      {hint !== undefined && wrong === null && <p class="capture-hint">{hint}</p>}
      {wrong !== null && (
        <p class="capture-wrong" id={`${id}-wrong`}>
          {wrong}
        </p>
      )}
    </div>
  );
}

function TargetChoice(props: {
  targets: readonly CaptureTarget[];
  chosen: readonly string[];
  choose: (names: string[]) => void;
}) {
  const { targets, chosen, choose } = props;
  const toggle = (name: string) =>
    choose(chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name]);
  const isAll = targets.every(({ name }) => chosen.includes(name));
  return (
    <fieldset class="capture-targets">
      <legend>Hosts</legend>
      {targets.length > 2 && (
        <label class="check capture-all">
          <input
            type="checkbox"
            checked={isAll}
            onChange={() => choose(isAll ? [] : targets.map(({ name }) => name))}
          />
          All {targets.length}
        </label>
      )}
      <div class="capture-target-list">
        {targets.map(({ name, address }) => (
          <label key={name} class="check" title={address}>
            <input type="checkbox" checked={chosen.includes(name)} onChange={() => toggle(name)} />
            <span>{name}</span>
            <span class="dim">{address}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** Hint of the addresses that the operator allows beside targets; null where an address makes no sense. */
function addressHint({ addresses }: CaptureRoom): string | null {
  if (addresses.includes("loopback")) {
    return "A port of the machine that Tilescope runs on. Other machines: start it with --allow-capture HOST:PORT.";
  }
  return addresses.length === 0 ? null : `Allowed: ${addresses.join(", ")}`;
}

export function CaptureFormView({ room, refusal, isBeginning, onBegin, onMonitor }: Props) {
  const form = useSignal<CaptureForm>(knownHosts(rememberedForm(), room));
  const wrong = useSignal<{ readonly field: CaptureField; readonly message: string } | null>(null);
  const element = useRef<HTMLFormElement>(null);
  const isOpen = useSignal(false);
  useEffect(() => {
    element.current?.querySelector<HTMLElement>("input:not([type=checkbox]), input")?.focus();
  }, []);
  const change = (change: Partial<CaptureForm>) => {
    form.value = { ...form.peek(), ...change };
    wrong.value = null;
  };
  const text = (field: CaptureField & ("addresses" | "durationMs" | "delayMs" | "attempts" | "runName")) => ({
    id: `capture-${field}`,
    value: form.value[field],
    "aria-invalid": wrong.value?.field === field,
    "aria-describedby": wrong.value?.field === field ? `capture-${field}-wrong` : undefined,
    onInput: (event: { currentTarget: HTMLInputElement }) => change({ [field]: event.currentTarget.value }),
  });
  const wrongOf = (field: CaptureField) => (wrong.value?.field === field ? wrong.value.message : null);
  const ordered = (then: (order: CaptureOrder) => void) => {
    const result = orderOf(form.peek());
    if (result.kind === "wrong") {
      wrong.value = result;
      isOpen.value ||= result.field !== "addresses" && result.field !== "durationMs";
      requestAnimationFrame(() => element.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
      return;
    }
    rememberForm(form.peek());
    then(result.order);
  };
  const hint = addressHint(room);
  const hasAddress = hint !== null;
  return (
    <form
      ref={element}
      class="capture-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        ordered(onBegin);
      }}
    >
      {refusal !== null && (
        <p class="error-line" role="alert">
          {refusal}
        </p>
      )}
      {room.targets.length > 0 && (
        <TargetChoice targets={room.targets} chosen={form.value.targets} choose={(targets) => change({ targets })} />
      )}
      {!hasAddress && wrongOf("addresses") !== null && <p class="capture-wrong">Tick the hosts to capture</p>}
      <div class="capture-row">
        {hasAddress && (
          <Field
            id="capture-addresses"
            label={room.targets.length > 0 ? "Other addresses" : "Address"}
            hint={hint}
            wrong={wrongOf("addresses")}
          >
            <input
              type="text"
              placeholder="localhost:9012"
              spellcheck={false}
              autocomplete="off"
              {...text("addresses")}
            />
          </Field>
        )}
        <Field id="capture-durationMs" label="Duration" wrong={wrongOf("durationMs")}>
          <span class="capture-unit">
            <input type="text" inputMode="numeric" autocomplete="off" {...text("durationMs")} />
            <span class="dim">ms</span>
          </span>
        </Field>
      </div>
      <details
        class="capture-more"
        open={isOpen.value}
        onToggle={(event) => {
          isOpen.value = event.currentTarget.open;
        }}
      >
        <summary>What is recorded, and how</summary>
        <div class="capture-grid">
          <Field id="capture-host-level" label="Of the host" wrong={null}>
            <select
              id="capture-host-level"
              value={form.value.hostTracerLevel}
              onChange={(event) => change({ hostTracerLevel: Number(event.currentTarget.value) })}
            >
              {HOST_LEVELS.map(([level, name]) => (
                <option key={level} value={level}>
                  {level} · {name}
                </option>
              ))}
            </select>
          </Field>
          <Field id="capture-runName" label="Name of the run" wrong={wrongOf("runName")}>
            <input type="text" placeholder="Date and time" autocomplete="off" spellcheck={false} {...text("runName")} />
          </Field>
          <Field id="capture-delayMs" label="Begin after" wrong={wrongOf("delayMs")}>
            <span class="capture-unit">
              <input type="text" inputMode="numeric" autocomplete="off" {...text("delayMs")} />
              <span class="dim">ms</span>
            </span>
          </Field>
          <Field id="capture-attempts" label="Attempts" wrong={wrongOf("attempts")}>
            <input type="text" inputMode="numeric" autocomplete="off" {...text("attempts")} />
          </Field>
        </div>
        <div class="capture-checks">
          <label class="check">
            <input
              type="checkbox"
              checked={form.value.deviceTracerLevel > 0}
              onChange={(event) => change({ deviceTracerLevel: event.currentTarget.checked ? 1 : 0 })}
            />
            What devices do
          </label>
          <label class="check">
            <input
              type="checkbox"
              checked={form.value.pythonTracerLevel > 0}
              onChange={(event) => change({ pythonTracerLevel: event.currentTarget.checked ? 1 : 0 })}
            />
            Calls of Python functions, which makes traces large
          </label>
          <label class="check">
            <input
              type="checkbox"
              checked={form.value.includeDatasetOps}
              onChange={(event) => change({ includeDatasetOps: event.currentTarget.checked })}
            />
            Operations of tf.data
          </label>
        </div>
      </details>
      <div class="capture-buttons">
        <button type="submit" class="button is-primary" disabled={isBeginning}>
          {isBeginning ? "Beginning …" : "Capture"}
        </button>
        <button
          type="button"
          class="button is-outlined"
          disabled={isBeginning}
          onClick={() => ordered(({ hosts }) => onMonitor(hosts[0]!))}
        >
          Monitor
        </button>
      </div>
    </form>
  );
}

/** Without targets that the server does not offer any more; the only one there is, is chosen. */
function knownHosts(form: CaptureForm, { targets, addresses }: CaptureRoom): CaptureForm {
  const names = targets.map(({ name }) => name);
  const kept = form.targets.filter((name) => names.includes(name));
  const isNone = kept.length === 0 && addressesOf(form.addresses).length === 0;
  return {
    ...form,
    targets: isNone && names.length === 1 ? names : kept,
    addresses: addresses.length === 0 ? "" : form.addresses,
  };
}
