/** Free text as a field of a list in an address, where `,` parts fields and `;` entries. Pure. */

const ESCAPES: Readonly<Record<string, string>> = { "%": "%25", ",": "%2C", ";": "%3B" };

export function escapeField(text: string): string {
  return text.replace(/[%,;]/g, (sign) => ESCAPES[sign]!);
}

export function unescapeField(text: string): string {
  return text.replace(/%(25|2C|3B)/g, (sign) => decodeURIComponent(sign));
}

/** An entry of such fields; those at the end that say nothing are left out. */
export function entryText(fields: readonly string[]): string {
  return fields.join(",").replace(/,+$/, "");
}
