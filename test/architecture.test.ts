// The architecture rules, checked for all source files; `architecture-imports.test.ts` tests the import rules themselves.
import { describe, expect, test } from 'vitest';
import { importViolations } from './harness/import-rules.ts';
import {
  fileCycles,
  folderCycles,
  formViolations,
  isPure,
  maxLines,
  purityViolations,
  undocumentedFunctions,
} from './harness/purity-and-cycles.ts';
import { readSources, readText, type Source, source } from './harness/source.ts';
import { unusedExports } from './harness/unused-exports.ts';

const src = readSources(['src']);

/** Returns entries that a lock file must not have: `resolved` names a registry, `engines` rejects npm on an old Node. */
function lockFileProblems(text: string): string[] {
  const lock = JSON.parse(text) as { packages: Record<string, { resolved?: unknown; engines?: unknown }> };
  return Object.entries(lock.packages).flatMap(([name, entry]) =>
    (['resolved', 'engines'] as const)
      .filter((key) => key in entry)
      .map((key) => `${name || 'the root'} has "${key}"`),
  );
}

/** Returns imports of the sandbox or the client from outside their folder; the dashboard may also import the client. */
function separationViolations(files: Source[]): string[] {
  return files.flatMap((file) => {
    const own = file.path.split('/')[0] ?? '';
    const allowed = own === 'dashboard' ? [own, 'client'] : [own];
    return file.imports
      .filter(({ target }) => target && !allowed.includes(target.split('/')[0] ?? ''))
      .map(({ target }) => `${file.path}: imports ${target}`);
  });
}

describe('the tree', () => {
  test('follows the import rules', () => {
    expect(src.length).toBeGreaterThan(20);
    expect(importViolations(src)).toEqual([]);
  });

  test('has no import cycles between files or folders', () => {
    expect(fileCycles(src, true)).toEqual([]);
    expect(folderCycles(src)).toEqual([]);
    expect(fileCycles(readSources(['sandbox', 'bench', 'test', 'scripts']), false)).toEqual([]);
  });

  test('has no impure code in pure files', () => {
    expect(src.some(isPure)).toBe(true);
    expect(purityViolations(src)).toEqual([]);
  });

  test('has no imports from outside in the sandbox, the client and the dashboard', () => {
    expect(separationViolations(readSources(['sandbox', 'client', 'dashboard']))).toEqual([]);
  });

  test(`has no file over ${maxLines} lines or without a comment in its first line`, () => {
    const all = readSources(['src', 'sandbox', 'demo', 'client', 'dashboard', 'bench', 'test', 'scripts']);
    expect(formViolations(all)).toEqual([]);
  });

  test('has a docstring for each exported function', () => {
    expect(undocumentedFunctions(readSources(['src', 'client', 'demo']))).toEqual([]);
    const overloaded = '/** A. */\nexport function a(b: 1): 1;\nexport function a(b: 2): 2;\n';
    expect(undocumentedFunctions([source('src/a.ts', overloaded)])).toEqual([]);
    expect(undocumentedFunctions([source('src/a.ts', '// A.\n\nexport async function* a() {}\n')])).toEqual([
      'src/a.ts: a',
    ]);
  });

  test('exports no value that no other file imports', () => {
    const importers = readSources(['src', 'sandbox', 'demo', 'client', 'bench', 'test', 'scripts']);
    expect(unusedExports(readSources(['src', 'sandbox', 'demo', 'bench']), importers)).toEqual([]);
    const files = [
      source('src/a.ts', 'export const used = 1;\nexport function unused() {}'),
      source('src/b.ts', "import { used } from './a.ts';"),
      source('src/c-store.ts', 'export async function called() {}\nexport const dead = 1;\ncalled();'),
    ];
    expect(unusedExports(files, files)).toEqual(['src/a.ts: unused', 'src/c-store.ts: dead']);
  });

  test('creates folders one by one: mkdir with the option recursive never ends where a new folder is ENOENT', () => {
    const recursive = /\bmkdir(?:Sync)?\([^;]*\brecursive: true/;
    expect(src.filter(({ code }) => recursive.test(code)).map(({ path }) => path)).toEqual([]);
    expect(recursive.test(source('src/a.ts', 'await mkdir(a, { recursive: true, mode });').code)).toBe(true);
  });

  test('has a lock file without registry hosts and engine requirements', () => {
    expect(lockFileProblems(readText('package-lock.json'))).toEqual([]);
  });
});

describe('the other checks report:', () => {
  const pure = 'src/appointments/slots/engine.ts';

  test.each([
    ['await', 'await 1;'],
    ['the clock', 'const now = Date.now();'],
    ['an empty Date', 'const now = new Date();'],
    ['randomness', 'Math.random();'],
    ['Temporal.Now', 'Temporal.Now.instant();'],
    ['a timer', 'setTimeout(a, 1);'],
    ['an impure file', "import { a } from './store.ts';"],
    ['the file system', "import { readFileSync } from 'node:fs';"],
    ['random bytes', "import { randomBytes } from 'node:crypto';"],
  ])('a pure file with %s', (_what, text) => {
    expect(purityViolations([source(pure, text)])).toHaveLength(1);
    expect(purityViolations([source('src/a/b.ts', `// Decides. Pure.\n${text}`)])).toHaveLength(1);
    expect(purityViolations([source('src/a/b.ts', `// Does.\n${text}`)])).toEqual([]);
  });

  test('but not a pure file with types, errors, the contract, hashes and other pure files', () => {
    const text = [
      "import type { Db } from '../../db/db.ts';",
      "import { AppError } from '../../base/errors.ts';",
      "import { Slot } from '../../contract/appointments.ts';",
      "import { createHmac } from 'node:crypto';",
      "import { at } from './wall-time.ts';",
      'new Date(0); // await Date.now()',
    ].join('\n');
    expect(purityViolations([source(pure, text), source('src/appointments/slots/wall-time.ts', '')])).toEqual(
      [],
    );
  });

  test('a cycle of files through a type import', () => {
    const files = [
      source('src/db/a.ts', "import { b } from './b.ts';"),
      source('src/db/b.ts', "import { c } from './c.ts';"),
      source('src/db/c.ts', "import type { A } from './a.ts';"),
    ];
    expect(fileCycles(files, true)).toEqual(['src/db/a.ts → src/db/b.ts → src/db/c.ts → src/db/a.ts']);
    expect(fileCycles(files, false)).toEqual([]);
    expect(fileCycles([source('src/db/a.ts', "import './a.ts';")], false)).toHaveLength(1);
  });

  test('a cycle of folders without a cycle of files', () => {
    const files = [
      source('src/x/a.ts', "import { b } from '../y/b.ts';"),
      source('src/y/c.ts', "import { d } from '../x/d.ts';"),
    ];
    expect(fileCycles(files, true)).toEqual([]);
    expect(folderCycles(files)).toEqual(['src/x → src/y → src/x']);
  });

  test('an import of the program by the sandbox', () => {
    expect(separationViolations([source('sandbox/a.ts', "import { b } from '../src/b.ts';")])).toHaveLength(
      1,
    );
    expect(separationViolations([source('sandbox/google/a.ts', "import { b } from '../b.ts';")])).toEqual([]);
  });

  test('a long file, and a file without a first comment', () => {
    const long = source('src/a.ts', `// A.\n${'a();\n'.repeat(maxLines)}`);
    expect(formViolations([long])).toHaveLength(1);
    expect(formViolations([{ ...long, path: 'test/api/a.test.ts' }])).toHaveLength(1);
    expect(formViolations([{ ...long, path: 'src/db/schema.ts' }])).toEqual([]);
    expect(formViolations([source('src/a.ts', 'a();\n')])).toHaveLength(1);
    expect(formViolations([source('src/a.ts', '#!/usr/bin/env node\n// A.\n')])).toEqual([]);
  });

  test('a lock file with registry hosts or engines', () => {
    const lock = { packages: { '': {}, a: { resolved: 'https://b' }, b: { engines: { node: '>=22' } } } };
    expect(lockFileProblems(JSON.stringify(lock))).toEqual(['a has "resolved"', 'b has "engines"']);
  });
});
