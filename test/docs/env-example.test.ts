// .env.example names every setting with its explanation and default, and the settings are those that the program reads.
import { expect, test } from 'vitest';
import { readConfig, settings } from '../../src/config.ts';
import { readProjectFile } from '../harness/documents.ts';

interface Entry {
  name: string;
  value: string;
  explanation: string | undefined;
}

/** Blocks of comments, each ending in a setting: its explanation first. */
const entries: Entry[] = readProjectFile('.env.example')
  .trimEnd()
  .split('\n\n')
  .slice(1)
  .map((block) => {
    const lines = block.split('\n');
    const [, name = block, value = ''] = /^# ([A-Z][A-Z0-9_]*)=(.*)$/.exec(lines.at(-1) ?? '') ?? [];
    return { name, value, explanation: lines[0]?.replace(/^# /, '') };
  });

test('.env.example has every setting of the program and no other, in its order and words', () => {
  expect(entries.map(({ name, explanation }) => [name, explanation])).toEqual(Object.entries(settings));
});

test('.env.example sets nothing as it stands, and its values are the defaults', () => {
  expect(
    readProjectFile('.env.example')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#')),
  ).toEqual([]);
  const written = Object.fromEntries(entries.map(({ name, value }) => [name, value]));
  expect(readConfig(written)).toEqual(readConfig({}));
  const withDefault = entries.filter(({ explanation }) => /\bDefault [^n]/.test(explanation ?? ''));
  expect(withDefault.filter(({ value }) => value === '').map(({ name }) => name)).toEqual([]);
});

test('the program reads exactly the settings that it names', () => {
  const reads = readProjectFile('src/config.ts').matchAll(
    /\bread\s*\.\s*\w+(?:<[^>]*>)?\(\s*'([A-Z][A-Z0-9_]*)'/g,
  );
  expect([...new Set([...reads].map(([, name]) => name))].sort()).toEqual(Object.keys(settings).sort());
});
