// Stop and start words: the whole text of a message, in any case of any language; and payloads of buttons.
import { describe, expect, it, test } from 'vitest';
import { scope } from '../../src/messaging/opt-outs/opt-out.ts';
import { checkedSettings } from '../../src/messaging/opt-outs/settings.ts';
import { suggestedWords } from '../../src/messaging/opt-outs/suggested-words.ts';
import { foldWord, saidIn, wordsOf } from '../../src/messaging/opt-outs/words.ts';
import type { ReceivedContent } from '../../src/ports/platform-received.ts';

const settings = {
  stopWords: ['Stop', 'STRASSE', 'İPTAL', 'ΤΕΛΟΣ', 'बंद करें', 'opt out', 'ARRÊT'],
  startWords: ['START'],
  buttonPayloads: ['STOP_PROMOTIONS'],
  reply: { stop: null, start: null },
};
const message = (type: string, content: ReceivedContent, isFromPerson = true) => ({
  ...{ phoneNumberId: '1', messageRef: 'w', phone: '1', userId: null, person: null, timestamp: 1 },
  ...{ mediaRef: null, contextRef: null, raw: '{}', type, content, isFromPerson },
});
const said = (type: string, content: ReceivedContent, words = wordsOf(settings)) =>
  saidIn(message(type, content), words);
const text = (body: string) => said('text', { text: body });

describe('a word', () => {
  it.each([
    'stop',
    'STOP',
    ' \n\tStop\u00a0 ',
    '\u200fstop\u200e',
    'ｓｔｏｐ',
    'Straße',
    'iptal',
    'IPTAL',
    'ıptal',
    'τέλος'.normalize('NFD').replace('\u0301', ''),
    'τελοσ',
    'बंद करें',
    'Opt  Out',
    'arre\u0302t',
  ])('in another form of the same letters is heard: %j', (body) => {
    expect(text(body)).toMatchObject({ scope: scope.marketing });
  });

  it.each(['', 'stop!', 'stop it', 'please stop', 'sto p', 'stopp', 'STOP STOP'])(
    'that is not the whole text is not: %j',
    (body) => {
      expect(text(body)).toBeUndefined();
    },
  );

  it('of the other list opts in', () => {
    expect(text('start')).toMatchObject({ scope: scope.none });
  });

  it('counts in text messages of people alone', () => {
    expect(
      said('image', { text: 'stop', media: { mimeType: null, sha256: null, caption: 'stop' } }),
    ).toBeUndefined();
    expect(said('button', { button: { payload: null, text: 'stop' } })).toBeUndefined();
    expect(said('interactive', { interactive: { type: 'button_reply', title: 'stop' } })).toBeUndefined();
    expect(saidIn(message('text', { text: 'stop' }, false), wordsOf(settings))).toBeUndefined();
  });

  it('is off while its list is empty', () => {
    const none = wordsOf({ stopWords: [], startWords: [], buttonPayloads: [] });
    for (const body of ['stop', 'start', '']) expect(said('text', { text: body }, none)).toBeUndefined();
  });
});

describe('a button', () => {
  it('counts by its payload, exactly, in templates, buttons and lists', () => {
    const contents: [string, ReceivedContent][] = [
      ['button', { button: { payload: 'STOP_PROMOTIONS', text: 'No more' } }],
      ['interactive', { interactive: { type: 'button_reply', id: 'STOP_PROMOTIONS', title: 'x' } }],
      ['interactive', { interactive: { type: 'list_reply', id: 'STOP_PROMOTIONS', title: 'x' } }],
    ];
    for (const [type, content] of contents)
      expect(said(type, content)).toMatchObject({ scope: scope.marketing, reason: 'STOP_PROMOTIONS' });
    expect(said('button', { button: { payload: 'stop_promotions', text: 'x' } })).toBeUndefined();
  });

  it('never counts by its text, also if that is a word', () => {
    expect(said('button', { button: { payload: 'stop', text: 'stop' } })).toBeUndefined();
  });
});

describe('settings', () => {
  it('keep each word once, trimmed, as it was given', () => {
    expect(checkedSettings({ ...settings, stopWords: [' Stop ', 'STOP', 'Ende'] })).toMatchObject({
      stopWords: ['Stop', 'Ende'],
    });
  });

  test.each([
    [{ stopWords: ['\u200b '] }, 'stopWords[0]'],
    [{ startWords: ['sToP'] }, 'startWords[0]'],
  ])('with a word that is empty or in both lists are a 400 that names it: %j', (change, path) => {
    expect(() => checkedSettings({ ...settings, ...change })).toThrow(path);
  });

  it('are suggested in ten languages, which can be set together', () => {
    expect(new Set(suggestedWords.map(({ language }) => language)).size).toBe(10);
    const all = {
      stopWords: suggestedWords.flatMap(({ stopWords }) => stopWords),
      startWords: suggestedWords.flatMap(({ startWords }) => startWords),
      buttonPayloads: [],
    };
    expect(all.stopWords.length).toBeLessThan(200);
    const { stopWords } = checkedSettings(all);
    for (const one of suggestedWords) {
      expect(one.stopWords.length * one.startWords.length).toBeGreaterThan(3);
      expect(one.stopWords.every((word) => stopWords.map(foldWord).includes(foldWord(word)))).toBe(true);
    }
  });
});
