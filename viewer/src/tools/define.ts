/** From what is written to add a page to what menu, address and frame know of it. */

import { type ComponentType, createElement } from "preact";
import type { AnyPageProps, Page, PageDefinition, PageProps } from "./contract";
import { changedTexts } from "./field-texts";
import { ALL_RANGES } from "./range-kinds";

/** The page of a definition: its fields are texts to all others. */
export function definePage<Fields, Action extends string = never>(definition: PageDefinition<Fields, Action>): Page {
  const { id, title, help, group, icon, keys, fields, ranges = ALL_RANGES, isBare = false } = definition;
  const isOwn = (action: string): action is Action => keys.some((key) => key.action === action);
  const wrap =
    (View: ComponentType<PageProps<Fields, Action>>) =>
    ({ context, texts, setTexts, onKey }: AnyPageProps) =>
      createElement(View, {
        context,
        fields: fields.parse(texts),
        setFields: (next) => setTexts(changedTexts(fields, texts, next)),
        onKey: (handle) =>
          onKey((action) => {
            if (isOwn(action)) {
              handle(action);
            }
          }),
      });
  return {
    ...{ id, title, help, group, icon, keys, ranges, isBare },
    availability: (manifest) => definition.availability(manifest),
    load: () => {
      const loaded = definition.load();
      return loaded instanceof Promise ? loaded.then(wrap) : wrap(loaded);
    },
  };
}
