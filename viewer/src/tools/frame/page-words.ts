/** Messages of the server in the words of a dashboard: its field in place of the parameter, and no file of documentation. Pure. */

const FIELD = "“Steps are called”";

export function inPageWords(message: string): string {
  return message
    .replaceAll(/\bwith step_name\b/g, `in ${FIELD}`)
    .replaceAll(/\bstep_name\b/g, FIELD)
    .replaceAll(/ \(docs\/[^()]*\)/g, "");
}
