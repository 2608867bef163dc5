// The scopes by which the dashboard shows pages and buttons, compared with those that their operations need.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url).pathname;
const source = join(root, 'dashboard/src');
const read = (file: string) => readFileSync(file, 'utf8');

/** The scope of each operation, as the contract says in the generated client. */
const scopeOf = new Map(
  [...read(join(root, 'client/src/generated.ts')).matchAll(/Scope: `([a-z:]+)`.*\*\/\n {2}(\w+)\(/g)].map(
    ([, scope = '', name = '']) => [name, scope],
  ),
);
/** Operations outside the contract's `/v1`, which the generated client does not have. */
const otherNeeds = new Map([['sandbox/sandbox.tsx', 'manage']]);

/** The files that a file imports, at once or lazily. */
const importsOf = (file: string): string[] =>
  [...read(file).matchAll(/(?:from |import\()'(\.[^']+\.tsx?)'/g)]
    .map(([, path = '']) => join(dirname(file), path))
    .filter((path) => path.startsWith(source) && existsSync(path));

/** Every file of a page with the files through which it is reached. */
function filesOf(page: string): Map<string, Set<string>> {
  const found = new Map([[page, new Set<string>()]]);
  const queue = [page];
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    for (const imported of importsOf(file)) {
      const through = found.get(imported) ?? new Set();
      const before = found.has(imported) ? through.size : -1;
      for (const one of [file, ...(found.get(file) ?? [])]) through.add(one);
      found.set(imported, through);
      if (through.size > before) queue.push(imported);
    }
  }
  return found;
}

const constants = new Map(
  [...read(join(source, 'appointments/state.ts')).matchAll(/const (\w+) = '([a-z]+:[a-z]+)'/g)].map(
    ([, name = '', scope = '']) => [name, scope],
  ),
);
const checksIn = (file: string): string[] =>
  [...read(file).matchAll(/useMay\((?:'([a-z:]+)'|(\w+))\)/g)].flatMap(
    ([, scope, constant = '']) => scope ?? constants.get(constant) ?? [],
  );
const callsIn = (text: string): string[] =>
  [...text.matchAll(/\bapi\s*\.(\w+)\(/g)].map(([, name = '']) => name);

/** The files of queries that several pages share, and the operations of each query: who uses one needs its scope. */
const sharedFiles = readdirSync(join(source, 'api'))
  .map((name) => join(source, 'api', name))
  .filter((file) => /export const \w+Query\b/.test(read(file)));
const sharedQueries = new Map(
  sharedFiles.flatMap((file) =>
    read(file)
      .split('export const ')
      .slice(1)
      .map((text) => [/^\w+/.exec(text)?.[0] ?? '', callsIn(text)] as const),
  ),
);
function operationsIn(file: string): string[] {
  if (sharedFiles.includes(file)) return [];
  const text = read(file);
  const used = [...text.matchAll(/\b(\w+Query)\b/g)].flatMap(
    ([, name = '']) => sharedQueries.get(name) ?? [],
  );
  return [...new Set([...callsIn(text), ...used])];
}

const listIn = (text = ''): string[] => [...text.matchAll(/'([a-z:]+)'/g)].map(([, one = '']) => one);
const nav = read(join(source, 'shell/nav.ts'));
const items = nav
  .split(/key: '\w+'(?: as const)?,\s+(?=to: )/)
  .slice(1)
  .map((text) => ({
    to: /to: '([^']+)'/.exec(text)?.[1] ?? '',
    scopes: listIn(/\sscopes: \[([^\]]*)\]/.exec(text)?.[1]),
    pages: new Map(
      [...text.matchAll(/'(\/[^']+)': \[([^\]]*)\]/g)].map(([, path, list]) => [path, listIn(list)]),
    ),
  }));

const router = read(join(source, 'router.tsx'));
const modules = new Map(
  [...router.matchAll(/const (\w+) = \(\) => import\('([^']+)'\)/g)].map(([, name = '', path]) => [
    name,
    path,
  ]),
);
const pages = [...router.matchAll(/ page\('([^']+)',.*?(?:import\('([^']+)'\)|, (\w+)), '\w+'\)/g)].map(
  ([, path = '', imported, name = '']) => {
    const item = items.find(({ to }) =>
      to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`),
    );
    const file = join(source, imported ?? modules.get(name) ?? '');
    return { path, scopes: item?.pages.get(path) ?? item?.scopes ?? [], files: filesOf(file) };
  },
);

/** What a component needs its scopes for: its operations, the pages to which it leads, and what is below it. */
function needsOf(files: Iterable<string>): Set<string> {
  const own = [...files].flatMap((file) => [
    ...operationsIn(file).flatMap((name) => scopeOf.get(name) ?? []),
    ...[...read(file).matchAll(/to[=:] ?'?"?(\/[\w/$-]*)/g)].flatMap(
      ([, to]) => pages.find(({ path }) => path === to)?.scopes ?? [],
    ),
    ...(otherNeeds.get(relative(source, file)) ? [otherNeeds.get(relative(source, file)) ?? ''] : []),
  ]);
  return new Set(own);
}

test('the menu, the pages and the operations are read as they are written', () => {
  expect(items.length).toBeGreaterThanOrEqual(14);
  expect(pages).toHaveLength([...router.matchAll(/ page\('/g)].length);
  expect(items.find(({ to }) => to === '/sends')?.pages.get('/sends/new')).toContain('messages:send');
  for (const [name, scope] of [
    ['createEndpoint', 'manage'],
    ['getOperatorHealth', 'operator'],
    ['getMessage', 'messages:read'],
  ])
    expect(scopeOf.get(name ?? '')).toBe(scope);
  expect(operationsIn(join(source, 'messages/filter-bar.tsx'))).toEqual(['listSenders', 'listTemplates']);
  expect([...constants.values()]).toContain('appointments:manage');
});

test('every operation of a page has its scope checked by the menu, or by a component through which it is reached', () => {
  const unchecked = pages.flatMap(({ path, scopes, files }) =>
    [...files].flatMap(([file, through]) => {
      const checked = [...scopes, ...[file, ...through].flatMap(checksIn)];
      return operationsIn(file)
        .filter((name) => !checked.includes(scopeOf.get(name) ?? checked[0] ?? ''))
        .filter((name) => scopeOf.has(name))
        .map((name) => `${path}: ${name} in ${relative(source, file)} needs ${scopeOf.get(name)}`);
    }),
  );
  expect(unchecked).toEqual([]);
});

test('no page and no component asks for a scope that nothing of it needs', () => {
  const needless = pages.flatMap(({ path, scopes, files }) => {
    const needed = needsOf(files.keys());
    return scopes.filter((scope) => !needed.has(scope)).map((scope) => `${path} asks for ${scope}`);
  });
  const components = new Set(pages.flatMap(({ files }) => [...files.keys()]));
  for (const component of components) {
    const needed = needsOf(filesOf(component).keys());
    for (const scope of checksIn(component))
      if (!needed.has(scope)) needless.push(`${relative(source, component)} asks for ${scope}`);
  }
  expect(needless).toEqual([]);
});
