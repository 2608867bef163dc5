// What a reply may say: exactly one kind of content, within the platform's limits.
import { describe, expect, test } from 'vitest';
import type { ReplyBody } from '../../src/contract/replies.ts';
import { contentOf, recipientOf } from '../../src/messaging/replies/reply.ts';

const row = (id: string, title = id) => ({ id, title });
const rows = (count: number, from = 0) => Array.from({ length: count }, (_, n) => row(String(from + n)));
const text = 'Choose.';
const pathsOf = (body: ReplyBody, file?: { kind: string; fileName: string }) =>
  contentOf(body, file).problems.map(({ path }) => path);

describe('accepted are', () => {
  test.each<[string, ReplyBody, object, { kind: string; fileName: string }?]>([
    ['text', { text: 'Hi' }, { kind: 'text', text: 'Hi' }],
    [
      'an upload, of its own kind and with its own name',
      { media: { mediaId: 'm', caption: 'c' } },
      { kind: 'media', media: 'document', mediaId: 'm', caption: 'c', fileName: 'a.pdf' },
      { kind: 'document', fileName: 'a.pdf' },
    ],
    [
      'an address, of the kind of its extension',
      { media: { url: 'https://example.com/a/b.JPG?x=1.pdf' } },
      { kind: 'media', media: 'image', link: 'https://example.com/a/b.JPG?x=1.pdf' },
    ],
    [
      'an address without an extension, with its kind',
      { media: { url: 'https://example.com/f', kind: 'audio' } },
      { kind: 'media', media: 'audio', link: 'https://example.com/f' },
    ],
    [
      'a card, with its name as first name',
      { contacts: [{ name: 'Ada' }] },
      { kind: 'contacts', cards: [{ name: 'Ada', firstName: 'Ada', phones: [], emails: [], urls: [] }] },
    ],
    ...['👍', '👨‍👩‍👧', '🇩🇪', '1️⃣', '❤️', '👍🏽'].map((emoji): [string, ReplyBody, object] => [
      `the reaction ${emoji}`,
      { reaction: { emoji }, replyTo: 'wamid.A' },
      { kind: 'reaction', emoji },
    ]),
    ['a removed reaction', { reaction: { emoji: null }, replyTo: 'w' }, { kind: 'reaction', emoji: '' }],
    ['buttons beside text', { text, buttons: [row('a')] }, { kind: 'buttons', text, buttons: [row('a')] }],
    [
      'a list of rows',
      { text: 'x'.repeat(4096), list: { button: 'Open', rows: rows(10) } },
      { kind: 'list', text: 'x'.repeat(4096), button: 'Open', sections: [{ rows: rows(10) }] },
    ],
    [
      'a list of sections',
      {
        text,
        list: {
          button: 'Open',
          sections: [
            { title: 'A', rows: rows(5) },
            { title: 'B', rows: rows(5, 5) },
          ],
        },
      },
      {
        ...{ kind: 'list', text, button: 'Open' },
        sections: [
          { title: 'A', rows: rows(5) },
          { title: 'B', rows: rows(5, 5) },
        ],
      },
    ],
    [
      'a link',
      { text: 'x'.repeat(1024), link: { title: 'Open', url: 'https://example.com' } },
      { kind: 'link', text: 'x'.repeat(1024), title: 'Open', url: 'https://example.com' },
    ],
  ])('%s', (_what, body, content, file) => {
    expect(contentOf(body, file)).toEqual({ content, problems: [] });
  });
});

describe('rejected are', () => {
  const link = { title: 'Open', url: 'https://example.com' };
  const image = { kind: 'image', fileName: 'a.png' };
  test.each<[string, ReplyBody, string[], { kind: string; fileName: string }?]>([
    ['nothing', {}, ['text']],
    ['two kinds', { text, buttons: [row('a')], link }, ['link']],
    ['text beside a place', { text, location: { latitude: 1, longitude: 2 } }, ['text']],
    ['text beside a file', { text, media: { mediaId: 'm' } }, ['text'], image],
    ['buttons without text', { buttons: [row('a')] }, ['text']],
    ['buttons with the same id', { text, buttons: [row('a', '1'), row('a', '2')] }, ['buttons[1].id']],
    ['buttons with the same title', { text, buttons: [row('a', '1'), row('b', '1')] }, ['buttons[1].title']],
    ['a text of 1,025 characters beside buttons', { text: 'x'.repeat(1025), buttons: [row('a')] }, ['text']],
    ['a text of 1,025 characters beside a link', { text: 'x'.repeat(1025), link }, ['text']],
    ['a link to a file', { text, link: { ...link, url: 'file:///etc/passwd' } }, ['link.url']],
    ['a reaction to nothing', { reaction: { emoji: '👍' } }, ['replyTo']],
    ['two emojis', { reaction: { emoji: '👍👍' }, replyTo: 'w' }, ['reaction.emoji']],
    ['a letter as an emoji', { reaction: { emoji: 'a' }, replyTo: 'w' }, ['reaction.emoji']],
    ['an empty emoji', { reaction: { emoji: '' }, replyTo: 'w' }, ['reaction.emoji']],
    ['a link with a space', { text, link: { title: 't', url: 'https://e.com/a b' } }, ['link.url']],
    ['an unknown upload', { media: { mediaId: 'm' } }, ['media.mediaId']],
    ['an upload and an address', { media: { mediaId: 'm', url: 'https://e.com/a.png' } }, ['media'], image],
    ['neither an upload nor an address', { media: {} }, ['media']],
    ['an address of unknown kind', { media: { url: 'https://example.com/file' } }, ['media.kind']],
    ['an address with a password', { media: { url: 'https://a:b@example.com/a.png' } }, ['media.url']],
    [
      'another kind than that of the upload',
      { media: { mediaId: 'm', kind: 'video' } },
      ['media.kind'],
      image,
    ],
    ['a caption of a sticker', { media: { url: 'https://e.com/a.webp', caption: 'c' } }, ['media.caption']],
    ['a file name of an image', { media: { mediaId: 'm', fileName: 'b.png' } }, ['media.fileName'], image],
    [
      'a list of rows and sections',
      { text, list: { button: 'b', rows: rows(1), sections: [{ rows: rows(1) }] } },
      ['list'],
    ],
    ['a list without rows', { text, list: { button: 'b' } }, ['list']],
    [
      'sections without titles',
      { text, list: { button: 'b', sections: [{ title: 'A', rows: rows(1) }, { rows: rows(1, 1) }] } },
      ['list.sections[1].title'],
    ],
    [
      'eleven rows in all sections',
      {
        text,
        list: {
          button: 'b',
          sections: [
            { title: 'A', rows: rows(6) },
            { title: 'B', rows: rows(5, 6) },
          ],
        },
      },
      ['list.sections'],
    ],
    [
      'rows with the same id',
      { text, list: { button: 'b', rows: [row('1'), row('1')] } },
      ['list.rows[1].id'],
    ],
  ])('%s', (_what, body, paths, file) => {
    expect(pathsOf(body, file)).toEqual(paths);
  });
});

test('the recipient is named by a phone or a user id, and the problem names the field to change', () => {
  const problemsOf = (to: object) => recipientOf(to).problems;
  expect(problemsOf({ phone: '15551234567' })).toEqual([]);
  expect(problemsOf({ userId: 'US.1' })).toEqual([]);
  expect(problemsOf({})).toEqual([{ path: 'phone', message: 'is required, or userId' }]);
  expect(problemsOf({ phone: '15551234567', userId: 'US.1' })).toMatchObject([{ path: 'userId' }]);
});
