/** The form of a tool's question as one row: what is asked, and the form itself at a click. Open where something is chosen. */

import { useId, useState } from "preact/hooks";
import { Form, type FormProps } from "./form";
import { inForce, spare } from "./form-fields";

/** `isFaulty`: it cannot be asked as it is. */
export function FoldedForm({ isFaulty, ...form }: FormProps & { readonly isFaulty: boolean }) {
  const { fields, texts, places } = form;
  const id = useId();
  const [chosen, setChosen] = useState<boolean | null>(null);
  const isOpen = chosen ?? (isFaulty || Object.keys(spare(fields, texts)).length > 0);
  const place = places.find(({ tracks }) => tracks === texts.tracks);
  const named = place === undefined ? texts : { ...texts, tracks: place.name };
  return (
    <div class="folded-form">
      <button
        type="button"
        class="button is-outlined"
        aria-expanded={isOpen}
        aria-controls={id}
        title="Options of this page"
        onClick={() => setChosen(!isOpen)}
      >
        Options
      </button>
      {!isOpen && <span class="folded-form-words">{inForce(fields, named).join(" · ")}</span>}
      <div id={id} hidden={!isOpen}>
        <Form {...form} />
      </div>
    </div>
  );
}
