// Source files and their import lines, parsed for the architecture tests.
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Import {
  /** The specifier as written: `kysely`, `node:fs`, `../db/db.ts`. */
  from: string;
  /** Path from the root of the checkout, for a file of the project. */
  target: string | undefined;
  /** True for `import type`, which is erased at run time. */
  typeOnly: boolean;
  /** The imported names; `*` for a namespace, `default` for a default import. */
  names: string[];
}

export interface Source {
  /** Path from the root of the checkout, with forward slashes. */
  path: string;
  text: string;
  /** The text without comments and without the contents of quotes. */
  code: string;
  imports: Import[];
}

const root = fileURLToPath(new URL('../../', import.meta.url));

const statement = /^[ \t]*(?:import|export)\s+(type\s+)?((?:[\w*$]|[\s,{}])*?)\s*from\s*['"]([^'"]+)['"]/gm;
const sideEffect = /^[ \t]*import\s+['"]([^'"]+)['"]/gm;
const dynamic = /\bimport\(\s*['"]([^'"]+)['"]/g;

function namesIn(clause: string): string[] {
  const inBraces = /\{([^}]*)\}/.exec(clause)?.[1] ?? '';
  const names = inBraces.split(',').map(
    (name) =>
      name
        .trim()
        .replace(/^type\s+/, '')
        .split(/\s+as\s+/)[0] ?? '',
  );
  const before = clause
    .replace(/\{[^}]*\}/, '')
    .replace(',', ' ')
    .trim();
  if (before.startsWith('*')) names.push('*');
  else if (before) names.push('default');
  return names.filter(Boolean);
}

function importsOf(path: string, text: string): Import[] {
  const found: Import[] = [];
  const add = (from: string, typeOnly: boolean, names: string[]) => {
    const target = from.startsWith('.') ? posix.join(posix.dirname(path), from) : undefined;
    found.push({ from, target, typeOnly, names });
  };
  for (const [, type, clause = '', from = ''] of text.matchAll(statement))
    add(from, type !== undefined, namesIn(clause));
  for (const [, from = ''] of text.matchAll(sideEffect)) add(from, false, []);
  for (const [, from = ''] of text.matchAll(dynamic)) add(from, false, ['*']);
  return found;
}

// a comment or a quoted text, which is kept as empty quotes; a template loses its text and its expressions
const commentOrQuote =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/g;

function codeOf(text: string): string {
  return text.replace(commentOrQuote, (part) => (part.startsWith('/') ? ' ' : `${part[0]}${part[0]}`));
}

/** Parses a source file from its path and text; it need not exist on disk. */
export function source(path: string, text: string): Source {
  return { path, text, code: codeOf(text), imports: importsOf(path, text) };
}

/** Reads all code files below the folders, which may be missing. */
export function readSources(folders: string[]): Source[] {
  return folders.flatMap((folder) => {
    let names: string[];
    try {
      names = readdirSync(join(root, folder), { recursive: true }).map(String);
    } catch {
      return [];
    }
    return names
      .map((name) => posix.join(folder, name.replaceAll('\\', '/')))
      .filter(
        (path) => /\.(?:ts|tsx|mjs|cjs|js)$/.test(path) && !/(?:^|\/)(?:node_modules|dist)\//.test(path),
      )
      .map((path) => source(path, readFileSync(join(root, path), 'utf8')));
  });
}

/** Reads a text file of the checkout. */
export function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
