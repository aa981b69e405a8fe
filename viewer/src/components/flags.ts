/** Meaning of the flags of an event, in words. */

const FLAG_TEXTS: Readonly<Record<string, string>> = {
  open: "open: the trace ended before it did",
  renamed: "renamed: begin and end have different names",
  aggregated: "aggregated: stands for many occurrences",
  clamped: "clamped: its duration is negative in the file, and 0 here",
  no_duration: "no duration in the file: 0 here",
};

/** All flags of an event in one line; empty without any. */
export function flagsText(flags: readonly string[]): string {
  const text = flags.map((flag) => FLAG_TEXTS[flag] ?? flag).join("; ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
