// Which presses are keys of the dashboard's pages.
import { expect, test } from 'vitest';
import { keyPressed } from '../../dashboard/src/design/key-press.ts';

const calm = { isTyping: false, isDialogOpen: false, areLettersOn: true };
const press = (key: string, more = {}) => ({
  ...{ key, code: '', shiftKey: false, ctrlKey: false, metaKey: false, altKey: false },
  ...{ repeat: false, isComposing: false },
  ...more,
});

test.each([
  ['a letter', press('t'), 't'],
  ['a letter with caps lock', press('T'), 't'],
  ['a letter with shift as another key', press('T', { shiftKey: true }), 'T'],
  ['a question mark with shift', press('?', { shiftKey: true }), '?'],
  ['an Arabic question mark', press('؟', { shiftKey: true }), '?'],
  ['the key of J on an Arabic layout', press('ت', { code: 'KeyJ' }), 'j'],
  ['the key of 1 on a Devanagari layout', press('१', { code: 'Digit1' }), '1'],
  ['J of a layout that has it elsewhere', press('j', { code: 'KeyC' }), 'j'],
  ['an arrow', press('ArrowDown'), 'ArrowDown'],
])('takes %s', (_, pressed, key) => expect(keyPressed(pressed, calm)).toBe(key));

test.each(['ctrlKey', 'metaKey', 'altKey', 'isComposing'])('%s leaves a key to the browser', (name) =>
  expect(keyPressed(press('r', { [name]: true }), calm)).toBeUndefined(),
);

test('a field gets everything but Escape', () => {
  const around = { ...calm, isTyping: true };
  expect(['t', 'ArrowDown', 'Escape'].map((key) => keyPressed(press(key), around))).toEqual([
    undefined,
    undefined,
    'Escape',
  ]);
});

test('an open dialog gets everything', () =>
  expect(['t', 'Escape'].map((key) => keyPressed(press(key), { ...calm, isDialogOpen: true }))).toEqual([
    undefined,
    undefined,
  ]));

test('keys of one character can be switched off, others not', () => {
  const around = { ...calm, areLettersOn: false };
  expect(['t', '/', '1', 'ArrowDown', 'Escape'].map((key) => keyPressed(press(key), around))).toEqual([
    ...[undefined, undefined, undefined],
    ...['ArrowDown', 'Escape'],
  ]);
});

test('a key that is held down repeats only what moves', () =>
  expect(['p', 'j', 'ArrowUp'].map((key) => keyPressed(press(key, { repeat: true }), calm))).toEqual([
    undefined,
    'j',
    'ArrowUp',
  ]));
