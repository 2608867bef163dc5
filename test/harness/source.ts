// Reads source files and their import lines, so that tests can hold the laws of the tree.
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Import {
  /** As written: `kysely`, `node:fs`, `../db/db.ts`. */
  from: string;
  /** Path from the root of the checkout, for a file of ours. */
  target: string | undefined;
  /** `import type`: nothing of it is left when the program runs. */
  typeOnly: boolean;
  /** The names between the braces, as exported there; `*` for a namespace, `default` for a default import. */
  names: string[];
}

export interface Source {
  /** Path from the root of the checkout, with forward slashes. */
  path: string;
  text: string;
  /** The text without comments and without the insides of quotes. */
  code: string;
  imports: Import[];
}

const root = fileURLToPath(new URL('../../', import.meta.url));

const statement = /^[ \t]*(?:import|export)\s+(type\s+)?((?:[\w*$]|[\s,{}])*?)\s*from\s*['"]([^'"]+)['"]/gm;
const bare = /^[ \t]*import\s+['"]([^'"]+)['"]/gm;
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
  for (const [, from = ''] of text.matchAll(bare)) add(from, false, []);
  for (const [, from = ''] of text.matchAll(dynamic)) add(from, false, ['*']);
  return found;
}

// a comment, or a quoted text (kept as empty quotes); a template's own text goes, what it inserts goes with it
const commentOrQuote =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/g;

function codeOf(text: string): string {
  return text.replace(commentOrQuote, (part) => (part.startsWith('/') ? ' ' : `${part[0]}${part[0]}`));
}

/** A source file from its path and text, whether or not it lies on the disk. */
export function source(path: string, text: string): Source {
  return { path, text, code: codeOf(text), imports: importsOf(path, text) };
}

/** Every code file below the folders, which may be absent. */
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
      .filter((path) => /\.(?:ts|tsx|mjs|cjs|js)$/.test(path) && !path.includes('node_modules/'))
      .map((path) => source(path, readFileSync(join(root, path), 'utf8')));
  });
}

/** A text file of the checkout. */
export function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
