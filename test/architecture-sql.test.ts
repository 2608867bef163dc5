// SQL texts use named constants for states, flags and error codes.
import { expect, test } from 'vitest';
import { readSources, type Source, source } from './harness/source.ts';

/** A template literal. Its expressions are removed, so that `state = ${queued}` becomes `state = `. */
const template = /`(?:\\[\s\S]|\$\{(?:[^{}`]|\{[^{}`]*\}|`[^`]*`)*\}|[^`\\])*`/g;
const inserted = /\$\{(?:[^{}`]|\{[^{}`]*\}|`[^`]*`)*\}/g;
const magic = [
  /\b(?:state|st|was|emitted|priority)\s*(?:=|<>|!=|<=|>=|<|>)\s*\d+/g,
  /\b(?:state|st|was|emitted|priority)\s+(?:not\s+)?in\s*\(\s*\d+/g,
  /\bstage\s*(?:=|<>)\s*\d+/g,
  /(?<!\|)[|&]\s*\d+/g,
  /'\d{6}'/g,
];

/** Returns state numbers, bit masks and error codes that are literals in SQL texts, one line each. */
function magicInSql(file: Source): string[] {
  const code = file.text.replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '');
  return [...code.matchAll(template)]
    .map(([text]) => text.replace(inserted, ''))
    .flatMap((text) => magic.flatMap((pattern) => text.match(pattern) ?? []))
    .map((found) => `${file.path}: ${found}`);
}

test('no SQL text has a literal state, flag or error code', () => {
  const stores = readSources(['src']).filter(({ path }) => /store\.ts$|^src\/db\//.test(path));
  expect(stores.length).toBeGreaterThan(20);
  expect(stores.flatMap(magicInSql)).toEqual([]);
});

test.each([
  ['a state', 'sql`update messages m set state = 6`'],
  ['a comparison', 'sql`where m.state < 4`'],
  ['a list of states', 'sql`where state in (0, 1)`'],
  ['a flag', 'sql`set emitted = m.emitted | 8`'],
  ['an error code', "sql`m.error ->> 'code' = '900001'`"],
])('reports %s', (_what, text) => {
  expect(magicInSql(source('src/a.ts', text))).toHaveLength(1);
});

test.each([
  ['a constant', 'sql`where state = ${queued} and was < ${sql.lit(states.failed)}`'],
  ['an expression outside SQL', 'if (row.state === 6) flags = flags | 8;'],
  ['a concatenation', "sql`select a || b, 'x' || 1`"],
])('does not report %s', (_what, text) => {
  expect(magicInSql(source('src/a.ts', text))).toEqual([]);
});
