/** The function of a signature: a name with namespaces, without what it returns, template arguments and parameters. */

/** More of a name tells nothing new: templates and stacks may have megabytes. */
const MOST_CHARS = 4096;
const MANGLED = /(?<!\w)_Z(?:TS)?[A-Z]*(?=\d)/;
const IDENTIFIER = /L?([1-9]\d{0,3})/y;
const ANONYMOUS = "(anonymous namespace)";

/** `void a::b<int>(int*)` and `_ZN1a1bIiEEvPi` → `a::b`; names that are no signature are returned as they are. */
export function functionOf(name: string): string {
  const text = name.slice(0, MOST_CHARS);
  const mangled = MANGLED.exec(text);
  const path = mangled === null ? "" : ofMangled(text, mangled.index + mangled[0].length);
  return path !== "" ? path : /[<(]/.test(text) ? ofSignature(text) : text;
}

/** Identifiers of a nested name up to its first template arguments (Itanium C++ ABI). */
function ofMangled(text: string, begin: number): string {
  const path: string[] = [];
  IDENTIFIER.lastIndex = begin;
  for (let match = IDENTIFIER.exec(text); match !== null; match = IDENTIFIER.exec(text)) {
    const from = IDENTIFIER.lastIndex;
    const to = from + Number(match[1]);
    if (to > text.length) {
      break;
    }
    path.push(text.slice(from, to));
    IDENTIFIER.lastIndex = to;
  }
  return path.join("::");
}

function ofSignature(name: string): string {
  const text = name.replaceAll(ANONYMOUS, "anonymous");
  let kept = "";
  let depth = 0;
  for (let k = 0; k < text.length; k++) {
    const sign = text[k]!;
    if (sign === "<") {
      depth += 1;
    } else if (sign === ">") {
      depth -= depth > 0 && text[k - 1] !== "-" ? 1 : 0;
    } else if (sign === "(" && depth === 0) {
      if (k === 0 || text[k - 1] === " ") {
        return name; // words in brackets, no parameters
      }
      break;
    } else if (depth === 0) {
      kept += sign;
    }
  }
  const path = kept.trim();
  return path.slice(path.lastIndexOf(" ") + 1) || name;
}
