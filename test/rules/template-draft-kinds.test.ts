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
