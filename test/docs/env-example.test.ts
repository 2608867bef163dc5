// .env.example: all settings with their explanations and defaults, and no others.
import { expect, test } from 'vitest';
import { settings } from '../../src/base/settings.ts';
import { readConfig } from '../../src/config.ts';
import { readProjectFile } from '../harness/documents.ts';

interface Entry {
  name: string;
  value: string;
  explanation: string | undefined;
}

/** Blocks of comment lines, each followed by its setting. */
const entries: Entry[] = readProjectFile('.env.example')
  .trimEnd()
  .split('\n\n')
  .slice(1)
  .map((block) => {
    const lines = block.split('\n');
    const [, name = block, value = ''] = /^# ([A-Z][A-Z0-9_]*)=(.*)$/.exec(lines.at(-1) ?? '') ?? [];
    return { name, value, explanation: lines[0]?.replace(/^# /, '') };
  });

test('.env.example has exactly the settings of the program, in the same order and with the same texts', () => {
  expect(entries.map(({ name, explanation }) => [name, explanation])).toEqual(Object.entries(settings));
});

test('.env.example sets nothing, and its values are the defaults', () => {
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

test('the program reads exactly the settings that it declares', () => {
  const reads = readProjectFile('src/config.ts').matchAll(
    /\bread\s*\.\s*\w+(?:<[^>]*>)?\(\s*'([A-Z][A-Z0-9_]*)'/g,
  );
  expect([...new Set([...reads].map(([, name]) => name))].sort()).toEqual(Object.keys(settings).sort());
});
