// Checks of pure files, import cycles, file sizes and first lines.
import { posix } from 'node:path';
import type { Source } from './source.ts';

// files that must be pure by their name; others say "Pure." in their first line
const pureByName = [
  /^src\/messaging\/(?:.+\/)?(?:fill|file-kind|message|recipients)\.ts$/,
  /^src\/appointments\/(?:.+\/)?(?:staff|engine|opening-hours|wall-time|booking|form-answers|presenter)\.ts$/,
  /^src\/webhooks\/(?:.+\/)?(?:event|sign)\.ts$/,
  /^src\/work\/backoff\.ts$/,
];
const pureByWord = /^\/\/.*(?:\(pure\)|\bPure\.)/;
// packages whose functions depend only on their arguments
const purePackages =
  /^(?:node:(?:buffer|crypto|url)|ical\.js|rrule-temporal|saxes|lru-cache|cldr-core\/.+\.json)$/;
const impureCrypto = /^(?:random|generateKey|scrypt|pbkdf2|hkdf$|\*|default|webcrypto|subtle)/;
const impureCode =
  /\bawait\b|\basync\b|\bDate\s*\.\s*now\b|\bnew\s+Date\s*\(\s*\)|\bperformance\b|\bMath\s*\.\s*random\b|\bTemporal\s*\.\s*Now\b|\bprocess\s*\.|\bset(?:Timeout|Interval|Immediate)\b|\bconsole\b|\bcrypto\s*\.\s*random/;

/** True if the file claims to be pure. */
export function isPure(file: Source): boolean {
  return pureByWord.test(file.text) || pureByName.some((pattern) => pattern.test(file.path));
}

/** Returns what makes pure files impure, one line each. */
export function purityViolations(files: Source[]): string[] {
  const pure = new Set(files.filter(isPure).map((file) => file.path));
  return files.filter(isPure).flatMap((file) => {
    const found: string[] = [];
    const impure = impureCode.exec(file.code)?.[0];
    if (impure) found.push(`${file.path}: a pure file has no "${impure}"`);
    for (const line of file.imports) {
      if (line.typeOnly) continue;
      const { target, from } = line;
      const allowed = target
        ? pure.has(target) || target === 'src/base/errors.ts' || target.startsWith('src/contract/')
        : purePackages.test(from) &&
          !(from === 'node:crypto' && line.names.some((name) => impureCrypto.test(name)));
      if (!allowed) found.push(`${file.path}: a pure file does not import ${target ?? from}`);
    }
    return found;
  });
}

/** Returns every cycle of a directed graph once, as the path around it. */
function cycles(graph: Map<string, Set<string>>): string[] {
  const found = new Map<string, string>();
  const done = new Set<string>();
  const walk = (node: string, path: string[]) => {
    const at = path.indexOf(node);
    if (at >= 0) {
      const cycle = path.slice(at);
      const key = [...cycle].sort().join(' ');
      if (!found.has(key)) found.set(key, [...cycle, node].join(' → '));
      return;
    }
    if (done.has(node)) return;
    for (const next of graph.get(node) ?? []) walk(next, [...path, node]);
    done.add(node);
  };
  for (const node of graph.keys()) walk(node, []);
  return [...found.values()];
}

function graphOf(
  files: Source[],
  nameOf: (path: string) => string,
  typesCount: boolean,
): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const file of files) {
    for (const { target, typeOnly } of file.imports) {
      if (!target || (typeOnly && !typesCount)) continue;
      const [from, to] = [nameOf(file.path), nameOf(target)];
      if (from !== to || file.path === target) graph.set(from, (graph.get(from) ?? new Set()).add(to));
    }
  }
  return graph;
}

/** Returns import cycles between files. `typesCount`: `import type` counts too. */
export function fileCycles(files: Source[], typesCount: boolean): string[] {
  return cycles(graphOf(files, (path) => path, typesCount));
}

/** Returns import cycles between folders, including type imports. Each file directly in src counts as a folder. */
export function folderCycles(files: Source[]): string[] {
  const folderOf = (path: string) => (posix.dirname(path) === 'src' ? path : posix.dirname(path));
  return cycles(graphOf(files, folderOf, true));
}

export const maxLines = 300;
// generated from the migrations and from the OpenAPI document
const generated = new Set(['src/db/schema.ts', 'client/src/generated.ts']);

/** Returns files over 300 lines, and files whose first line (after a `#!`) is not a comment. */
export function formViolations(files: Source[]): string[] {
  return files.flatMap((file) => {
    const lines = file.text.trimEnd().split('\n');
    const first = lines[0]?.startsWith('#!') ? lines[1] : lines[0];
    const found: string[] = [];
    if (lines.length > maxLines && !generated.has(file.path)) {
      found.push(`${file.path}: ${lines.length} lines; split it by meaning (${maxLines} at most)`);
    }
    if (!/^\/\/ \S|^\/\*\*? \S/.test(first ?? ''))
      found.push(`${file.path}: the first line must say what the file is for`);
    return found;
  });
}

/** Returns exported functions without a docstring directly above them; of overloads, the first needs one. */
export function undocumentedFunctions(files: Source[]): string[] {
  return files.flatMap(({ path, text }) => {
    const seen = new Set<string>();
    return [...text.matchAll(/(\*\/)?\nexport (?:async )?function\*? (\w+)/g)].flatMap(
      ([, docstring, name = '']) => {
        const isFirst = !seen.has(name);
        seen.add(name);
        return isFirst && docstring === undefined ? [`${path}: ${name}`] : [];
      },
    );
  });
}
