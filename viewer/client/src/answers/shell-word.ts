/** Words of shell commands. */

/** A text as one word of a command: in quotation marks where a shell would read some of it otherwise. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
}
