// Whether the content of a queued message fits its template after the template changed.
import { describe, expect, it, test } from 'vitest';
import { fits, shapeOf } from '../../src/messaging/template-content/fits.ts';
import { planTemplate } from '../../src/messaging/template-content/placeholders.ts';
import type { FilledTemplate, TemplateComponent } from '../../src/ports/platform.ts';

const body = (text: string): TemplateComponent => ({ type: 'BODY', text });
const image: TemplateComponent = { type: 'HEADER', format: 'IMAGE' };
const filled = (more: Partial<FilledTemplate> = {}): FilledTemplate => ({ body: [], buttons: [], ...more });
const isFit = (components: TemplateComponent[], content: FilledTemplate, category = 'UTILITY') =>
  fits(planTemplate({ category, parameterFormat: 'positional', components }), content);
const file = { kind: 'media', media: 'image', fileName: 'a.png' } as const;

describe('content fits', () => {
  it.each<[string, TemplateComponent[], FilledTemplate]>([
    ['a template without placeholders', [body('Hello.')], filled()],
    ['another text with the same placeholders', [body('Bye {{1}}.')], filled({ body: [{ text: 'Ada' }] })],
    ['a file of the header', [image, body('Hi.')], filled({ header: file })],
    [
      'an address of a file',
      [image, body('Hi.')],
      filled({ header: { ...file, link: 'https://a.example/a' } }),
    ],
    [
      'files of cards',
      [body('Hi.'), { type: 'CAROUSEL', cards: [1, 2].map(() => ({ components: [image] })) }],
      filled({
        cards: ['f1', 'f1'].map((mediaId) => ({ header: { ...file, mediaId }, body: [], buttons: [] })),
      }),
    ],
    [
      'an offer that has ended',
      [{ type: 'LIMITED_TIME_OFFER', limited_time_offer: { has_expiration: true } }, body('Hi.')],
      filled({ offerExpiresAt: 1 }),
    ],
  ])('%s', (_name, components, content) => expect(isFit(components, content)).toBe(true));
});

describe('content does not fit', () => {
  it.each<[string, TemplateComponent[], FilledTemplate]>([
    ['another number of placeholders', [body('Hi {{1}} {{2}}.')], filled({ body: [{ text: 'Ada' }] })],
    ['a placeholder that is gone', [body('Hi.')], filled({ body: [{ text: 'Ada' }] })],
    [
      'a header of another kind',
      [{ type: 'HEADER', format: 'VIDEO' }, body('Hi.')],
      filled({ header: file }),
    ],
    ['a header that is gone', [body('Hi.')], filled({ header: file })],
    ['a new header', [image, body('Hi.')], filled()],
    [
      'a button at another place',
      [
        body('Hi.'),
        {
          type: 'BUTTONS',
          buttons: [{ type: 'QUICK_REPLY' }, { type: 'URL', url: 'https://a.example/{{1}}' }],
        },
      ],
      filled({ buttons: [{ index: 0, subType: 'url', value: 'a' }] }),
    ],
    ['a part that cannot be sent', [body('Hi.'), { type: 'ORDER_DETAILS' }], filled()],
  ])('%s', (_name, components, content) => expect(isFit(components, content)).toBe(false));
});

test('a template has not changed if only its examples did', () => {
  const row = (text: string, handle: string) => ({
    parameter_format: 'positional',
    components: [{ ...image, example: { header_handle: [handle] } }, body(text)],
  });
  expect(shapeOf(row('Hi.', 'a'))).toBe(shapeOf(row('Hi.', 'b')));
  expect(shapeOf(row('Hi.', 'a'))).not.toBe(shapeOf(row('Bye.', 'a')));
});
