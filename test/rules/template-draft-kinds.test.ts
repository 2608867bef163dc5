// Drafts of authentication templates, their languages, and named variables: each problem with its path.
import { describe, expect, it } from 'vitest';
import type { TemplateComponent } from '../../src/ports/platform.ts';
import { body, otp, pathsOf, reply } from '../harness/drafts.ts';

describe('a problem of an authentication template is named by its path', () => {
  const own = { type: 'BODY', add_security_recommendation: true };
  it.each<[string, TemplateComponent[], string[]]>([
    ['no button', [own], ['components']],
    ['a body text', [body, otp({ otp_type: 'COPY_CODE' })], ['components[0].text']],
    [
      'a header',
      [{ type: 'HEADER', format: 'TEXT', text: 'Hi' }, own, otp({ otp_type: 'COPY_CODE' })],
      ['components[0]'],
    ],
    [
      'an expiry of zero minutes',
      [own, { type: 'FOOTER', code_expiration_minutes: 0 }, otp({ otp_type: 'COPY_CODE' })],
      ['components[1].code_expiration_minutes'],
    ],
    [
      'a recommendation that is neither true nor false',
      [{ ...own, add_security_recommendation: 'yes' }, otp({ otp_type: 'COPY_CODE' })],
      ['components[0].add_security_recommendation'],
    ],
    ['another kind of button', [own, { type: 'BUTTONS', buttons: [reply] }], ['components[1].buttons']],
    ['no otp_type', [own, otp({})], ['components[1].buttons[0].otp_type']],
    [
      'one tap without an app',
      [own, otp({ otp_type: 'ONE_TAP' })],
      ['components[1].buttons[0].supported_apps'],
    ],
    [
      'zero tap without an app or the terms',
      [own, otp({ otp_type: 'ZERO_TAP' })],
      ['components[1].buttons[0].supported_apps', 'components[1].buttons[0].zero_tap_terms_accepted'],
    ],
    [
      'a malformed app',
      [own, otp({ otp_type: 'ONE_TAP', supported_apps: [{ package_name: 'app', signature_hash: 'x' }] })],
      [
        'components[1].buttons[0].supported_apps[0].package_name',
        'components[1].buttons[0].supported_apps[0].signature_hash',
      ],
    ],
  ])('%s', (_what, components, paths) => {
    expect(pathsOf(components, { category: 'AUTHENTICATION' })).toEqual(paths);
  });
});

it.each(['zz', 'en_XX', 'english', 'EN'])('%s is not a language', (language) => {
  expect(pathsOf([body], { language })).toEqual(['language']);
});

it.each<[string, string[]]>([
  ['Hi {{Name}}, welcome back.', ['components[0].text', 'components[0].example.body_text_named_params']],
  ['Hi {{name}} and {{name}}, welcome back to us.', ['components[0].text']],
  [
    `Hi {{${'n'.repeat(33)}}}, welcome back.`,
    ['components[0].text', 'components[0].example.body_text_named_params'],
  ],
  ['Hi {{other}}, welcome back.', ['components[0].example.body_text_named_params']],
])('a named variable must be as the platform requires: %s', (text, paths) => {
  const example = { body_text_named_params: [{ param_name: 'name', example: 'Ada' }] };
  expect(pathsOf([{ type: 'BODY', text, example }], { named: true })).toEqual(paths);
});

describe('a problem of a carousel or an offer is named by its path', () => {
  const picture = { type: 'HEADER', format: 'PRODUCT' };
  const buttons = (...list: object[]) => ({ type: 'BUTTONS', buttons: list });
  const card = (...components: object[]) => ({ components });
  const good = card(picture, buttons(reply));
  const carousel = (...cards: object[]): TemplateComponent => ({ type: 'CAROUSEL', cards });
  const offer = (text: string): TemplateComponent => ({
    type: 'LIMITED_TIME_OFFER',
    limited_time_offer: { text, has_expiration: true },
  });
  const coupon = { type: 'COPY_CODE', example: '25OFF' };
  const link = { type: 'URL', text: 'Open', url: 'https://shop.example' };
  const marketing = { category: 'MARKETING' };
  it.each<[string, TemplateComponent[], string[]]>([
    ['none', [body, carousel(good, good)], []],
    ['one card', [body, carousel(good)], ['components[1].cards']],
    ['eleven cards', [body, carousel(...Array(11).fill(good))], ['components[1].cards']],
    ['a footer', [body, { type: 'FOOTER', text: 'Bye' }, carousel(good, good)], ['components[2]']],
    ['a card of another form', [body, carousel(good, card(picture, buttons(link)))], ['components[1].cards']],
    [
      'a card without a header, a text header, three buttons, a footer, a missing sample',
      [
        body,
        carousel(
          card(buttons(reply)),
          card({ type: 'HEADER', format: 'TEXT', text: 'Hi' }, buttons(reply)),
          card(picture, buttons(reply, link, coupon)),
          card(picture, { type: 'FOOTER', text: 'x' }),
          card({ type: 'HEADER', format: 'IMAGE' }, buttons(reply)),
          card(picture, buttons(coupon)),
          card(picture, { type: 'BODY', text: 'x'.repeat(161) }, buttons(reply)),
        ),
      ],
      [
        'components[1].cards[0].components',
        'components[1].cards[1].components[0].format',
        'components[1].cards[2].components[1].buttons',
        'components[1].cards[3].components',
        'components[1].cards[4].components[0].mediaId',
        'components[1].cards[5].components[1].buttons',
        'components[1].cards[6].components[1].text',
        'components[1].cards',
      ],
    ],
    ['no problem of an offer', [offer('Now'), body, buttons(coupon, link) as TemplateComponent], []],
    [
      'a long text of an offer',
      [offer('x'.repeat(17)), body, buttons(coupon, link) as TemplateComponent],
      ['components[0].limited_time_offer.text'],
    ],
    [
      'an offer with a footer',
      [offer('Now'), body, { type: 'FOOTER', text: 'x' }, buttons(coupon, link) as TemplateComponent],
      ['components[0]'],
    ],
    [
      'an offer without a coupon',
      [offer('Now'), body, buttons(link) as TemplateComponent],
      ['components[0]'],
    ],
    [
      'an offer with a text header',
      [
        { type: 'HEADER', format: 'TEXT', text: 'Hi' },
        offer('Now'),
        body,
        buttons(coupon, link) as TemplateComponent,
      ],
      ['components[1]'],
    ],
    [
      'an offer whose expiration is neither true nor false',
      [
        { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Now', has_expiration: 'true' } },
        body,
        buttons(coupon, link) as TemplateComponent,
      ],
      ['components[0].limited_time_offer.has_expiration'],
    ],
    [
      'a flow whose id is null',
      [body, buttons({ type: 'FLOW', text: 'Go', flow_id: null }) as TemplateComponent],
      ['components[1].buttons[0].flow_id'],
    ],
    [
      'a label of spaces',
      [body, buttons({ type: 'CATALOG', text: '  ' }) as TemplateComponent],
      ['components[1].buttons[0].text'],
    ],
    [
      'a flow without its id',
      [body, buttons({ type: 'FLOW', text: 'Go' }) as TemplateComponent],
      ['components[1].buttons[0].flow_id'],
    ],
    [
      'two catalogs',
      [body, buttons({ type: 'CATALOG', text: 'a' }, { type: 'CATALOG', text: 'b' }) as TemplateComponent],
      ['components[1].buttons'],
    ],
  ])('%s', (_name, components, paths) => expect(pathsOf(components, marketing)).toEqual(paths));

  it('of another category', () => {
    expect(pathsOf([body, carousel(good, good)], { category: 'UTILITY' })).toEqual(['components[1]']);
  });
});
