/** The help: the tables of keys and gestures, and what the colours and textures promise. */

import { useEffect, useRef } from "preact/hooks";
import { useApp } from "../components/app-context";
import { formatBytes } from "../components/format";
import { CloseIcon } from "../components/icons";
import { GESTURE_TABLE } from "../keys/gesture-table";
import { heldKeys, KEY_TABLE, type KeyGroup } from "../keys/table";
import { TOUCH_TABLE } from "../keys/touch-gestures";
import { changeSettings, settings } from "../state/settings";
import { isHelpOpen } from "../state/shell";
import { currentPage } from "../tools/registry";
import "../styles/dialog.css";
import "../styles/help.css";

function KeyRows({ group }: { group: KeyGroup }) {
  return (
    <section>
      <h3>{group}</h3>
      <table>
        <tbody>
          {KEY_TABLE.filter((binding) => binding.group === group).map((binding) => (
            <tr key={binding.intent} data-intent={binding.intent}>
              <td>
                {binding.keys.map((chord) => (
                  <kbd key={chord.shown}>{chord.shown}</kbd>
                ))}
              </td>
              <td>{binding.label}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The keys that the page on the screen has for itself. */
function PageKeyRows() {
  const shown = currentPage.value;
  if (shown === null || shown.keys.length === 0) {
    return null;
  }
  return (
    <section>
      <h3>{shown.title}</h3>
      <table>
        <tbody>
          {shown.keys.map(({ keys, action, label }) => (
            <tr key={action}>
              <td>
                {keys.map((chord) => (
                  <kbd key={chord.shown}>{chord.shown}</kbd>
                ))}
              </td>
              <td>{label}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Memory that the page uses for the run. */
function MemoryLine() {
  const { pane } = useApp();
  const memory = pane.session.value?.client.memory;
  if (memory === undefined) {
    return null;
  }
  const [used, limit] = [memory.usedBytes, memory.limitBytes].map((bytes) => formatBytes(BigInt(bytes)));
  return (
    <p data-help="memory">
      What was looked at stays in memory, {used} now and at most {limit}: beyond that, what was looked at longest ago is
      fetched again.
    </p>
  );
}

function GestureRows({ gestures }: { gestures: readonly { readonly shown: string; readonly label: string }[] }) {
  return (
    <table>
      <tbody>
        {gestures.map((entry) => (
          <tr key={entry.shown}>
            <td>{entry.shown}</td>
            <td>{entry.label}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function HelpDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = isHelpOpen.value;
  useEffect(() => {
    if (isOpen && dialog.current?.open === false) {
      dialog.current.showModal();
    } else if (!isOpen) {
      dialog.current?.close();
    }
  }, [isOpen]);
  const close = () => {
    isHelpOpen.value = false;
  };
  return (
    <dialog ref={dialog} aria-label="Keys and mouse" onClose={close}>
      {isOpen && (
        <>
          <div class="dialog-head">
            <h2>Keys and mouse</h2>
            <button type="button" class="button is-icon" aria-label="Close" onClick={close}>
              <CloseIcon />
            </button>
          </div>
          <div class="help-columns">
            <PageKeyRows />
            <KeyRows group="Move" />
            <KeyRows group="Select" />
            <KeyRows group="Mark" />
            <KeyRows group="Search" />
            <section>
              <h3>Mouse</h3>
              <GestureRows gestures={GESTURE_TABLE} />
              <h3>Touch</h3>
              <GestureRows gestures={TOUCH_TABLE} />
            </section>
            <KeyRows group="Tracks" />
            <KeyRows group="Panes" />
            <KeyRows group="Show" />
          </div>
          <div class="help-foot">
            <label class="check">
              <input
                type="checkbox"
                checked={settings.value.wheelZooms}
                onChange={(event) => changeSettings({ wheelZooms: event.currentTarget.checked })}
              />
              Wheel zooms instead of scrolling (ctrl + wheel then scrolls)
            </label>
            <p>Hold {heldKeys()} to keep moving; with shift it is faster.</p>
            <p>
              Where slices are too short to be drawn one by one, a bin stands for them: its colour is that of the name
              with the most busy time, its strength is the share of time that is busy. Counts and busy times are exact
              at every zoom level.
            </p>
            <MemoryLine />
          </div>
        </>
      )}
    </dialog>
  );
}
