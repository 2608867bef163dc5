// Texts of callers in errors, with invisible characters written as codes.
import { describe, expect, it } from 'vitest';
import { invalidRequest } from '../../src/base/errors.ts';
import { isBlank, visible } from '../../src/base/visible.ts';
import { phoneProblems } from '../../src/messaging/sending/recipients.ts';

describe('a text of the request in an error', () => {
  it.each([
    ['a zero-width space', '155\u200b50', '155\\u200b50'],
    ['a byte order mark', '\ufeff155', '\\ufeff155'],
    ['marks of direction', '\u202a155\u202c\u2066', '\\u202a155\\u202c\\u2066'],
    ['a no-break space, and narrow ones', '1\u00a05\u202f5\u2009', '1\\u00a05\\u202f5\\u2009'],
    ['control characters', '1\u00075\n5\u009b', '1\\u00075\\u000a5\\u009b'],
    ['fillers and the blank Braille pattern', '\u3164\u2800\u115f', '\\u3164\\u2800\\u115f'],
    ['line and paragraph separators', '\u2028\u2029', '\\u2028\\u2029'],
    ['soft hyphens and joiners', 'a\u00adb\u034fc\u2060', 'a\\u00adb\\u034fc\\u2060'],
    ['tags beyond the basic plane', '\u{e0041}', '\\u{e0041}'],
    ['half a surrogate pair', '\ud83d', '\\ud83d'],
  ])('shows %s', (_what, text, shown) => {
    expect(visible(text)).toBe(shown);
    const error = invalidRequest([{ path: `recipients[0].${text}`, message: `remove "${text}"` }]);
    expect(error.message).toContain(shown);
    expect(error.details.errors).toEqual([{ path: `recipients[0].${shown}`, message: `remove "${shown}"` }]);
  });

  it('keeps visible characters', () => {
    const text = 'Grüße, नमस्ते, 您好 👋 — “x” +1 (555)-0100';
    expect(visible(text)).toBe(text);
  });

  it.each(['155501000\u200b01', '15550\u00a0100001', '\u202a15550100001\u202c', '1555010000\t1'])(
    'shows the invalid character of the phone %j',
    (phone) => {
      const [problem] = phoneProblems([{ phone }]);
      const error = invalidRequest(problem ? [problem] : []);
      expect(error.details.errors?.[0]?.message).toMatch(/remove "\\u[0-9a-f]{4}"/);
    },
  );
});

describe('a text is blank', () => {
  it.each([
    '',
    ' \t\n',
    '\u00a0\u3000',
    '\u200b',
    ' \u200b\u2060\ufeff ',
    '\u3164',
    '\u2800',
    '\u00ad\u202e',
    '\ufe0f',
  ])('if nothing of it is visible: %j', (text) => expect(isBlank(text)).toBe(true));

  it.each(['a', '\u200ba', '0', '.', '👩‍🚀', '\ue000'])('unless something is visible: %j', (text) =>
    expect(isBlank(text)).toBe(false),
  );
});
