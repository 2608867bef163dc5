// Values that a file exports although no other file imports them, for the architecture tests.
import type { Source } from './source.ts';

const exported = /^export (?:async )?(?:function\*?|const|class|let) (\w+)/gm;

/** True for a function of a store that its own file calls: `test/db/statements.test.ts` checks all that are exported. */
const isStatement = ({ path, code }: Source, name: string): boolean =>
  /store\.ts$/.test(path) && code.split(new RegExp(`\\b${name}\\b`)).length > 2;

/** Returns the exports of `files` that none of `importers` imports, as `path: name`. */
export function unusedExports(files: readonly Source[], importers: readonly Source[]): string[] {
  const imported = new Map<string, Set<string>>();
  for (const { target, names } of importers.flatMap(({ imports }) => imports)) {
    if (target === undefined) continue;
    const known = imported.get(target) ?? new Set();
    for (const name of names) known.add(name);
    imported.set(target, known);
  }
  return files.flatMap((file) => {
    const names = imported.get(file.path) ?? new Set();
    if (names.has('*')) return [];
    return [...file.code.matchAll(exported)]
      .map(([, name = '']) => name)
      .filter((name) => !names.has(name) && !isStatement(file, name))
      .map((name) => `${file.path}: ${name}`);
  });
}
