/**
 * JSON as profilers write it: members keep their order and repetitions, integers that a double does not hold are text, and so are bare
 * words (NaN, 0xdeadbeef). Doubled commas, bad escapes and decimals without a digit beside their point are taken.
 */

/** An object: its members in order. */
export class Members {
  readonly pairs: [string, unknown][] = [];
}

interface Parsed {
  readonly value: unknown;
  readonly end: number;
}

const SPACE = /[ \t\r\n]*/y;
const SEPARATORS = /[ \t\r\n,]*/y;
const STRING = /"([^"\\]*(?:\\[\s\S][^"\\]*)*)"/y;
const TOKEN = /[0-9A-Za-z+\-._]+/y;
const INTEGER = /^-?(?:0|[1-9][0-9]*)$/;
const FLOAT = /^-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]+)?|\.[0-9]+|[0-9]+\.)(?:[eE][+-]?[0-9]+)?$/;
const ESCAPE = /\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\([\s\S])/g;
const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  ...{ '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" },
};
const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ...[["true", true] as const, ["True", true] as const, ["false", false] as const, ["False", false] as const],
  ...[["null", null] as const, ["None", null] as const],
]);
/** Deeper than any file that is meant to be read; the page would run out of stack. */
const MAX_DEPTH = 500;

/** The value that begins at a place of a text, and where it ends; null for what is no JSON. */
export function parseAt(text: string, position: number, depth = 0): Parsed | null {
  const begin = skip(SPACE, text, position);
  const character = text[begin];
  if (character === "{" || character === "[") {
    return depth < MAX_DEPTH ? container(text, begin + 1, character === "{", depth + 1) : null;
  }
  return scalar(text, begin);
}

function container(text: string, position: number, isObject: boolean, depth: number): Parsed | null {
  const members = new Members();
  const list: unknown[] = [];
  let next = position;
  for (;;) {
    next = skip(SEPARATORS, text, next);
    if (text[next] === (isObject ? "}" : "]")) {
      return { value: isObject ? members : list, end: next + 1 };
    }
    let name = "";
    if (isObject) {
      const match = matchAt(STRING, text, next);
      const colon = match === null ? -1 : skip(SPACE, text, next + match[0].length);
      if (match === null || text[colon] !== ":") {
        return null;
      }
      name = unescaped(match[1]!);
      next = colon + 1;
    }
    const parsed = parseAt(text, next, depth);
    if (parsed === null) {
      return null;
    }
    next = parsed.end;
    if (isObject) {
      members.pairs.push([name, parsed.value]);
    } else {
      list.push(parsed.value);
    }
  }
}

function scalar(text: string, position: number): Parsed | null {
  const quoted = matchAt(STRING, text, position);
  if (quoted !== null) {
    return { value: unescaped(quoted[1]!), end: position + quoted[0].length };
  }
  const token = matchAt(TOKEN, text, position)?.[0];
  if (token === undefined) {
    return null;
  }
  return { value: valueOfToken(token), end: position + token.length };
}

function valueOfToken(token: string): unknown {
  if (INTEGER.test(token)) {
    return Number.isSafeInteger(Number(token)) ? Number(token) : String(BigInt(token));
  }
  if (FLOAT.test(token)) {
    return exactFloat(token);
  }
  return WORDS.has(token) ? WORDS.get(token) : token;
}

/** A number; the text where a double would be another one, or infinite. */
function exactFloat(token: string): number | string {
  const number = Number(token);
  if (!Number.isFinite(number)) {
    return token;
  }
  return digitsOf(token) < 16 || decimalOf(token) === decimalOf(String(number)) ? number : token;
}

function digitsOf(token: string): number {
  return token.replace(/[eE].*/, "").length;
}

/** Digits and exponent of a decimal without zeros at its ends: equal numbers have equal texts. */
function decimalOf(token: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(token) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  let end = digits.length; // a pattern for zeros at the end would begin anew at each zero
  while (digits[end - 1] === "0") {
    end -= 1;
  }
  const short = digits.slice(0, end);
  return short === "" ? "0" : `${sign}${short}e${Number(exponent) - fraction.length + digits.length - short.length}`;
}

function unescaped(text: string): string {
  return text.replace(ESCAPE, (all: string, high?: string, low?: string, code?: string, short?: string) => {
    if (high !== undefined) {
      return String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low!, 16));
    }
    if (code !== undefined) {
      const number = Number.parseInt(code, 16);
      return number >= 0xd800 && number < 0xe000 ? "\ufffd" : String.fromCharCode(number);
    }
    return SHORT_ESCAPES[short!] ?? all;
  });
}

function skip(pattern: RegExp, text: string, position: number): number {
  pattern.lastIndex = position;
  pattern.test(text);
  return pattern.lastIndex;
}

function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position;
  return pattern.exec(text);
}
