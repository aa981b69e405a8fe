/** Arguments of trace-event JSON: the text of an event's members, as one JSON object; of an end that follows its begin, two. */

import type { Argument, JsonValue } from "../base/schema";
import { Members, parseAt } from "./tolerant-json";

const UNREADABLE = "[unreadable]";

/**
 * The members of `args` come first, then `id` and all others; of an end, only what the begin does not say, too. What is no JSON comes
 * as one text.
 */
export function jsonArguments(raw: Uint8Array): Argument[] {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(raw);
  const first: Argument[] = [];
  const after: Argument[] = [];
  for (let position = 0; position < text.length; ) {
    const parsed = parseAt(text, position);
    if (!(parsed?.value instanceof Members)) {
      after.push({ name: UNREADABLE, value: text.slice(position) });
      break;
    }
    const { args, others } = sortedOut(parsed.value);
    first.push(...(position > 0 ? without(first, args) : args));
    after.push(...(position > 0 ? without(after, others) : others));
    position = parsed.end;
  }
  return [...first, ...after];
}

/** Arguments that are not there already; lists and objects are not compared. */
function without(before: readonly Argument[], list: readonly Argument[]): Argument[] {
  const identity = ({ name, value }: Argument): string => JSON.stringify([name, value]);
  const isPlain = ({ value }: Argument): boolean => value === null || typeof value !== "object";
  const present = new Set(before.filter(isPlain).map(identity));
  return list.filter((argument) => !isPlain(argument) || !present.has(identity(argument)));
}

/** The members of `args`, and the other members. */
function sortedOut(members: Members): { readonly args: Argument[]; readonly others: Argument[] } {
  const args: Argument[] = [];
  const others: Argument[] = [];
  for (const [name, value] of members.pairs) {
    if (name === "args" && value instanceof Members) {
      args.push(...value.pairs.map(([own, inner]) => ({ name: own, value: plain(inner) })));
    } else if (name !== "args" || value !== null) {
      others.push({ name, value: plain(value) });
    }
  }
  return { args, others };
}

/** Nested objects, of repeated names the last. */
function plain(value: unknown): JsonValue {
  if (value instanceof Members) {
    return Object.fromEntries(value.pairs.map(([name, inner]) => [name, plain(inner)]));
  }
  return Array.isArray(value) ? value.map(plain) : (value as JsonValue);
}
