// The contents of messages: values by the keys of a send, texts of the time, and masks instead of one-time codes.
import { describe, expect, it } from 'vitest';
import { contentsOf } from '../../src/messaging/messages/contents.ts';
import type { TemplateVersion } from '../../src/messaging/templates/versions-store.ts';
import type { FilledTemplate, TemplateComponent } from '../../src/ports/platform.ts';

const since = new Date('2026-01-02T00:00:00Z');
const version = (components: object[], more: Partial<TemplateVersion> = {}): TemplateVersion => ({
  ...{ template_id: 't', since, until: null, category: 'MARKETING', parameter_format: 'positional' },
  components: components as TemplateComponent[],
  ...more,
});
const marketing = 2;
const code = '83651204';

describe('the values of a message', () => {
  it('have the keys that a send takes, in every part', () => {
    const button = { type: 'URL', text: 'Open', url: 'https://shop.example/{{1}}' };
    const card = {
      components: [
        { type: 'BODY', text: 'Item {{1}}' },
        { type: 'BUTTONS', buttons: [button] },
      ],
    };
    const template = version([
      { type: 'HEADER', format: 'TEXT', text: 'The {{1}} sale' },
      { type: 'BODY', text: 'Hi {{1}}, use {{2}}.' },
      { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Stop' }, button, { type: 'COPY_CODE' }] },
      { type: 'CAROUSEL', cards: [card, card] },
    ]);
    const ofCard = (text: string) => ({
      body: [{ text }],
      buttons: [{ index: 0, subType: 'url' as const, value: text }],
    });
    const content: FilledTemplate = {
      header: { kind: 'text', values: [{ text: 'June' }] },
      body: [{ text: 'Ada' }, { text: 'A' }],
      buttons: [
        { index: 0, subType: 'quick_reply', payload: 'STOP' },
        { index: 1, subType: 'url', value: 'a b' },
        { index: 2, subType: 'copy_code', value: '25OFF' },
      ],
      cards: [ofCard('one'), ofCard('two')],
    };
    const { variables, text, parts } = contentsOf({ priority: marketing, content }, template, since);
    expect(variables).toEqual({
      'header.1': 'June',
      'body.1': 'Ada',
      'body.2': 'A',
      'buttons.1.1': 'a b',
      'buttons.2.1': '25OFF',
      'cards.0.body.1': 'one',
      'cards.0.buttons.0.1': 'one',
      'cards.1.body.1': 'two',
      'cards.1.buttons.0.1': 'two',
    });
    expect(text).toBe('Hi Ada, use A.');
    expect(parts).toMatchObject({
      header: { text: 'The June sale' },
      buttons: [{ payload: 'STOP' }, { url: 'https://shop.example/a%20b' }, { code: '25OFF' }],
      cards: [{ body: 'Item one' }, { body: 'Item two' }],
    });
  });

  it('have names where the template has, and their positions without a template', () => {
    const components = [{ type: 'BODY', text: 'Hi {{first_name}}, see you {{day}}.' }];
    const named = {
      body: [
        { name: 'day', text: 'Friday' },
        { name: 'first_name', text: 'Ada' },
      ],
      buttons: [],
    };
    const message = { priority: marketing, content: named };
    const shown = contentsOf(message, version(components, { parameter_format: 'named' }), since);
    expect(shown.variables).toEqual({ 'body.day': 'Friday', 'body.first_name': 'Ada' });
    expect(shown.text).toBe('Hi Ada, see you Friday.');
    const content: FilledTemplate = {
      body: [{ text: 'Ada' }, { text: 'A' }],
      buttons: [{ index: 3, subType: 'url', value: 'x' }],
    };
    expect(contentsOf({ priority: marketing, content }, undefined, since)).toEqual({
      variables: { 'body.1': 'Ada', 'body.2': 'A', 'buttons.3.1': 'x' },
      ...{ text: null, parts: null, textSource: null },
    });
  });
});

it('the text says when a message is older than the template that shows it', () => {
  const message = { priority: marketing, content: { body: [], buttons: [] } };
  const sourceAt = (at: Date | null) => contentsOf(message, version([]), at).textSource;
  expect([sourceAt(null), sourceAt(since), sourceAt(new Date(since.getTime() - 1))]).toEqual([
    'sent',
    'sent',
    'later',
  ]);
});

describe('a one-time code is masked', () => {
  const url = 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}';
  const otp = { type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy' };
  const components = [
    { type: 'BODY', text: '{{1}} is your code.' },
    { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Copy', url }, otp] },
  ];
  const content: FilledTemplate = {
    body: [{ text: code }],
    buttons: [
      { index: 0, subType: 'url', value: code },
      { index: 1, subType: 'otp', value: code },
    ],
  };
  const removed = { body: [{ text: '••••' }], buttons: [], removed: true } as FilledTemplate;
  const authentication = version(components, { category: 'AUTHENTICATION' });
  const shown = {
    variables: { '1': '••••' },
    text: '•••• is your code.',
    parts: {
      buttons: [{ url: url.replace('{{1}}', '••••') }, { code: '••••' }],
    },
  };

  it.each<[string, { priority: number; content: FilledTemplate }, TemplateVersion]>([
    ['before it is removed', { priority: 0, content }, authentication],
    ['after it was removed', { priority: 0, content: removed }, authentication],
    ['if the template has another category now', { priority: 0, content }, version(components)],
    ['if the template became one of codes', { priority: marketing, content }, authentication],
  ])('%s', (_when, message, template) => {
    const contents = contentsOf(message, template, since);
    expect(contents).toMatchObject({ text: shown.text, parts: shown.parts });
    expect(Object.values(contents.variables ?? {})).toEqual(['••••']);
    expect(JSON.stringify(contents)).not.toContain(code);
  });

  it('and without the template', () => {
    const contents = contentsOf({ priority: 0, content }, undefined, since);
    expect(contents).toEqual({ variables: { '1': '••••' }, text: null, parts: null, textSource: null });
  });
});
