// The dashboard's language files: every language has every text, with the same values to fill in, as valid messages.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type MessageFormatClass from '@messageformat/core';
import { describe, expect, test } from 'vitest';

// the package's types describe an ES module, but it is CommonJS
const MessageFormat: typeof MessageFormatClass.default = createRequire(import.meta.url)(
  '@messageformat/core',
);

type Language = Record<string, Record<string, string>>;

const folder = new URL('../../dashboard/languages/', import.meta.url);
const read = (file: string): Language => JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
const files = readdirSync(folder);
const english = read('en.json');

const keysOf = (language: Language): string[] =>
  Object.entries(language).flatMap(([room, texts]) => Object.keys(texts).map((key) => `${room}.${key}`));

/** The names of the values that a message takes; a form of a plural may be one word too. */
const valuesOf = (message: string): string[] =>
  [
    ...new Set(
      [...message.matchAll(/(?<!\b(?:zero|one|two|few|many|other|=\d+) )\{(\w+)(?=[,}])/g)].map(
        ([, name = '']) => name,
      ),
    ),
  ].sort();

test('English, Spanish, Portuguese, Hindi and Arabic are there', () => {
  expect(files.toSorted()).toEqual(['ar.json', 'en.json', 'es.json', 'hi.json', 'pt.json']);
});

describe.each(files)('%s', (file) => {
  const language = read(file);
  const format = new MessageFormat(file.replace('.json', ''));

  test('has every text, and no other', () => {
    expect(keysOf(language)).toEqual(keysOf(english));
  });

  test('fills the same values into each text', () => {
    for (const [room, texts] of Object.entries(english))
      for (const [key, text] of Object.entries(texts))
        expect([room, key, valuesOf(language[room]?.[key] ?? '')]).toEqual([room, key, valuesOf(text)]);
  });

  test('has valid messages that are not empty', () => {
    for (const texts of Object.values(language))
      for (const text of Object.values(texts)) {
        const filled = Object.fromEntries(valuesOf(text).map((name) => [name, 3]));
        expect(format.compile(text)(filled)).not.toBe('');
      }
  });
});

test('Spanish says usted to its readers, and calls the gateway by one word', () => {
  const familiar =
    /(?<![\p{L}])(tu|tus|te|ti|puedes|tienes|necesitas|quieres|haz|pide|vuelve a intentarlo|guárdalo|\p{L}+(?<!ex|res|cons|des)[ai]ste|gateway)(?![\p{L}])/iu;
  const texts = Object.values(read('es.json')).flatMap((room) => Object.values(room));
  expect(texts.filter((text) => familiar.test(text))).toEqual([]);
});
