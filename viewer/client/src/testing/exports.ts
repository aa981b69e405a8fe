/** Exports of the package, with the first line of each doc comment: read from its sources, for docs/typescript.md. */

import { readFileSync } from "node:fs";

/** One public name. */
export interface Export {
  readonly name: string;
  readonly kind: "interface" | "type" | "class" | "function" | "const";
  /** The module, as `net/api`. */
  readonly module: string;
  /** Its doc comment on one line; "" without one. */
  readonly comment: string;
  /** Members of a class for its users, its constructor first; of others empty. */
  readonly members: readonly Member[];
}

/** A method, a getter or a constructor of a public class. */
export interface Member {
  /** `show(screen: Screen): void`, `new Api(root = "")`. */
  readonly signature: string;
  /** As that of an export. */
  readonly comment: string;
}

const SOURCES = new URL("../", import.meta.url);
/** A member for users: what begins with # is not. */
const MEMBER =
  /^ {2}(?:static |async |get |\*)*(?!if\b|for\b|while\b|switch\b|return\b)[a-z]\w*(?:<[^>]*>)?\(|^ {2}readonly \w+ = \(/;
const DECLARATION = /^export (?:async )?(interface|type|class|function|const)\*? (\w+)/;

/** All public names, in the order of the index. */
export function publicExports(): Export[] {
  const index = readFileSync(new URL("index.ts", SOURCES), "utf8");
  const exports: Export[] = [];
  for (const [, names, module] of index.matchAll(/export (\*|\{[^}]*\}) from "\.\/([^"]+)";/g)) {
    const named = names === "*" ? null : new Set(names!.replace(/[{}\s]|\btype\b/g, "").split(","));
    exports.push(...exportsOf(module!).filter(({ name }) => named === null || named.has(name)));
  }
  return exports;
}

/** docs/typescript.md. */
export function apiPage(): string {
  const all = publicExports();
  const modules = [...new Set(all.map(({ module }) => module))];
  const sections = modules.map((module) => {
    const names = all.filter((entry) => entry.module === module);
    const rows = names.map(({ name, kind, comment }) => `| \`${name}\` | ${kind} | ${cell(comment)} |`);
    const classes = names.filter(({ members }) => members.length > 0).map(classPart);
    return [`## ${module}\n\n| name | | |\n|---|---|---|\n${rows.join("\n")}\n`, ...classes].join("\n");
  });
  return `${HEAD}\n${sections.join("\n")}`;
}

function classPart({ name, members }: Export): string {
  const rows = members.map(({ signature, comment }) => `| \`${cell(signature)}\` | ${cell(comment)} |`);
  return `### ${name}\n\n| member | |\n|---|---|\n${rows.join("\n")}\n`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function exportsOf(module: string): Export[] {
  const lines = readFileSync(new URL(`${module}.ts`, SOURCES), "utf8").split("\n");
  return lines.flatMap((line, index) => {
    const [, kind, name] = DECLARATION.exec(line) ?? [];
    if (name === undefined) {
      return [];
    }
    const members = kind === "class" ? membersOf(lines, index, name) : [];
    return [{ name, kind: kind as Export["kind"], module, comment: commentAbove(lines, index), members }];
  });
}

function membersOf(lines: readonly string[], first: number, name: string): Member[] {
  const end = lines.indexOf("}", first);
  const members: Member[] = [];
  for (let index = first + 1; index < end; index++) {
    if (MEMBER.test(lines[index]!)) {
      const last = lines.findIndex((line, k) => k >= index && /[{;>]$/.test(line));
      const text = lines
        .slice(index, last + 1)
        .join(" ")
        .replace(/\s+/g, " ")
        .trim();
      members.push({ signature: signatureOf(text, name), comment: commentAbove(lines, index) });
    }
  }
  return members;
}

function signatureOf(declaration: string, name: string): string {
  return declaration
    .replace(/ ?(?:=>)? ?[{;]?$/, "")
    .replace(/^get (\w+)\(\)/, "$1")
    .replace(/^readonly (\w+) = /, "$1")
    .replace(/^constructor/, `new ${name}`)
    .replace(/^(?:static |async |\*)+/, (words) => (words.includes("static") ? `${name}.` : ""))
    .replaceAll("( ", "(")
    .replaceAll(/,? \)/g, ")");
}

function commentAbove(lines: readonly string[], index: number): string {
  if (index === 0 || !lines[index - 1]!.endsWith("*/")) {
    return "";
  }
  let first = index - 1;
  while (!lines[first]!.trimStart().startsWith("/**")) {
    first -= 1;
  }
  const text = lines
    .slice(first, index)
    .join("\n")
    .trim()
    .replace(/^\/\*\*|\*\/$/g, "");
  const [paragraph = ""] = text.split(/\n *\*\n/);
  return paragraph
    .replace(/\n *\*/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

const HEAD = `# The TypeScript client

\`@tilescope/client\` asks a server for the tiles that a view needs, decodes and keeps them, and says what can be drawn now; it also lists
runs, asks tools and reads events. It runs in browsers and in Node 20 or newer (Node 20 has no \`WebSocket\` of its own). [Its README](../viewer/client/README.md) shows how to begin.
It is not in the wheel: \`npm ci && npm run build\` in \`viewer/\` writes the package to \`viewer/client/dist\`: one module, its declarations, and a \`package.json\`, so that
\`npm install ./viewer/client/dist\` and a copy of the module both work.

Names that end in \`Json\` are what the server sends, where 64-bit integers are decimal text; \`read…\` beside them makes the type without it.
The types of \`base/schema\` are written from the server's own declarations. This page is written by \`npm run docs\` in \`viewer/\`.
`;
