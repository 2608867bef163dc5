// Formats at the HTTP boundary: phones, emails, idempotency keys, pages and cursors, API keys, problem lists.
import { describe, expect, it, test } from 'vitest';
import { asciiEmail, emailProblem, emailSpellings, normalizedEmail } from '../../src/base/email.ts';
import { AppError, invalidRequest } from '../../src/base/errors.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import { phoneDigits, phoneProblem } from '../../src/base/phone.ts';
import { lowestUuidAt } from '../../src/base/uuid-time.ts';
import { canonicalJson } from '../../src/http/canonical-json.ts';
import { idempotencyKeyOf } from '../../src/http/idempotency.ts';
import { jsonLimitProblem } from '../../src/http/json-limits.ts';
import { cursorPageOf, cursorPosition, pageOf, pageWindow } from '../../src/http/paging.ts';
import { httpStatus } from '../../src/http/reply.ts';
import { unstorableParts } from '../../src/http/storable.ts';
import { phoneProblems } from '../../src/messaging/sending/recipients.ts';
import { fc } from '../harness/property.ts';

/** The code of the AppError that `run` throws. */
function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
  return 'nothing thrown';
}

describe('a phone with separators', () => {
  it.each([
    ['+1 (555) 123-4567', '15551234567'],
    ['+49.30/1234567'.replace('/', '.'), '49301234567'],
    ['[+91] 98765 43210', '919876543210'],
    ['+44\u00a020\u20117946\u2009–0958', '442079460958'],
    ['15551234567', '15551234567'],
  ])('%j is normalized to %s', (written, kept) => {
    expect(phoneDigits(written)).toBe(kept);
    expect(phoneProblem(kept)).toBeUndefined();
  });
  it.each([
    ['030 1234', 'country code, not with 0'],
    ['0049 30 1234567', 'country code, not with 0'],
    ['+1 555', '7 to 15 digits'],
    ['+1 555 123 4567 ext. 8', 'remove'],
    ['+1/555/1234567', 'remove "/"'],
    ['- ()', '7 to 15 digits'],
  ])('%j is rejected: %s', (written, words) => {
    expect(phoneProblem(phoneDigits(written))).toContain(words);
  });
});

describe('an email address', () => {
  it.each([
    ['ada@example.com', 'ada@example.com', 'ada@example.com'],
    ['Ada.O+x@Mail.Example.ORG', 'Ada.O+x@Mail.Example.ORG', 'Ada.O+x@Mail.Example.ORG'],
    ['ada@Müller.example', 'ada@müller.example', 'ada@xn--mller-kva.example'],
    ['ada@mu\u0308ller.example', 'ada@müller.example', 'ada@xn--mller-kva.example'],
    ['ada@xn--mller-kva.example', 'ada@xn--mller-kva.example', 'ada@xn--mller-kva.example'],
    ['ada@例え.テスト', 'ada@例え.テスト', 'ada@xn--r8jz45g.xn--zckzah'],
  ])('%s is stored as %s and sent to calendars as %s', (given, kept, ascii) => {
    expect(emailProblem(given)).toBeUndefined();
    expect([normalizedEmail(given), asciiEmail(normalizedEmail(given))]).toEqual([kept, ascii]);
  });
  it.each([
    ['müller@example.com', 'ASCII characters before the @'],
    ...[
      'ada',
      'ada@',
      '@example.com',
      'ada@example',
      'a b@c.example',
      'ada@b@c.example',
      'ada@-a.example',
    ].map((text) => [text, 'must be an email address']),
    ['ada@müller', 'must be an email address'],
    ['ada@mül ler.example', 'must be an email address'],
    ['ada@müller.example/x', 'must be an email address'],
    [`${'a'.repeat(65)}@example.com`, 'must be an email address'],
    [`ada@${'ü'.repeat(60)}.${'ü'.repeat(60)}.example`, 'must be an email address'],
  ])('%s is rejected: %s', (given, words) => expect(emailProblem(given)).toContain(words));
  it('is found by both spellings of its domain', () => {
    const both = ['ada@müller.example', 'ada@xn--mller-kva.example'];
    for (const given of [...both, 'Ada@MÜLLER.example']) {
      expect(emailSpellings(given)).toEqual(expect.arrayContaining(both));
    }
  });
});

describe('a phone', () => {
  it.each(['15551234567', '919876543210', '1234567', '123456789012345'])('%s is valid', (phone) =>
    expect(phoneProblem(phone)).toBeUndefined(),
  );
  it.each([
    ['+15551234567', 'remove "+"'],
    ['+1 555-123', 'remove "+", spaces, "-"'],
    ['1(555)1234567', 'remove "(", ")"'],
    ['０１２３４５６７', 'digits only'],
    ['0155512345', 'not with 0'],
    ['123456', '7 to 15 digits'],
    ['1234567890123456', '7 to 15 digits'],
    ['', '7 to 15 digits'],
    ['1555\n1234567', 'digits only'],
  ])('%j is rejected with a reason', (phone, words) => expect(phoneProblem(phone)).toContain(words));

  it('must be unique in a request; the second one is reported', () => {
    const recipients = ['15551234567', '15551234568', '15551234567', '+1'].map((phone) => ({ phone }));
    expect(phoneProblems(recipients)).toEqual([
      { path: 'recipients[2].phone', message: 'is the same as recipients[0].phone' },
      { path: 'recipients[3].phone', message: expect.stringContaining('remove') },
    ]);
  });
});

describe('an Idempotency-Key', () => {
  const key = '019A0B5E-7C00-7000-8000-00000000000a';
  it.each([key, `"${key}"`, ` ${key} `, key.toLowerCase()])(
    '%j is parsed to a bare UUID in lower case',
    (header) => expect(idempotencyKeyOf(header, 'required')).toBe(key.toLowerCase()),
  );
  it('can be missing only if it is optional', () => {
    expect(idempotencyKeyOf(undefined, 'optional')).toBeUndefined();
    expect(codeOf(() => idempotencyKeyOf(undefined, 'required'))).toBe('idempotency_key_missing');
  });
  it.each(['abc', `${key}, ${key}`, `"${key}`, `${key}0`, '""', '', ' ', '\t', ', ', [key, key]])(
    '%j is rejected, whether it is optional or required',
    (header) => {
      for (const need of ['optional', 'required'] as const)
        expect(codeOf(() => idempotencyKeyOf(header, need))).toBe('idempotency_key_invalid');
    },
  );
});

describe('pages', () => {
  it('start at 1 with 20 items', () => {
    expect(pageWindow({})).toEqual({ page: 1, limit: 20, offset: 0 });
    expect(pageWindow({ page: 3, limit: 50 })).toEqual({ page: 3, limit: 50, offset: 100 });
    expect(pageOf(['a'], 41, { page: 3 }).pagination).toEqual({
      page: 3,
      limit: 20,
      total: 41,
      totalPages: 3,
    });
    expect(pageOf([], 0, {}).pagination.totalPages).toBe(0);
  });
});

describe('cursors', () => {
  it('traverse a whole list, each item once', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.uuid()), fc.integer({ min: 1, max: 7 }), (list, limit) => {
        const sorted = list.toSorted();
        const seen: string[] = [];
        let cursor: string | undefined;
        do {
          const [after] = cursorPosition('media', cursor, 1) ?? [''];
          const rows = sorted.filter((one) => one > (after as string)).slice(0, limit + 1);
          const page = cursorPageOf('media', rows, limit, (one) => [one]);
          seen.push(...page.items);
          cursor = page.pagination.nextCursor ?? undefined;
        } while (cursor !== undefined);
        expect(seen).toEqual(sorted);
      }),
    );
  });

  it.each([
    'x',
    '',
    'e30',
    Buffer.from('[1,2]').toString('base64url'),
    Buffer.from('[null]').toString('base64url'),
    Buffer.from('["x"]').toString('base64url'),
  ])('%j, which no list returned, is rejected', (cursor) =>
    expect(codeOf(() => cursorPosition('media', cursor, 1))).toBe('invalid_request'),
  );
});

test('lowestUuidAt is not above any id of its time and above every earlier id', () => {
  const now = Date.now();
  const id = uuidv7(now);
  expect(lowestUuidAt(new Date(now)) <= id).toBe(true);
  expect(lowestUuidAt(new Date(now + 60_000)) > id).toBe(true);
  expect(lowestUuidAt(new Date(-5))).toBe('00000000-0000-0000-0000-000000000000');
});

test('httpStatus returns the contract’s status of a code, and 500 for an unlisted one', () => {
  expect(httpStatus('template_not_found')).toBe(404);
  expect(httpStatus('template_not_approved')).toBe(409);
  expect(httpStatus('no_such_code')).toBe(500);
});

describe('the list of problems in a response', () => {
  const problems = (count: number, text = 'is wrong') =>
    Array.from({ length: count }, (_, index) => ({ path: `recipients[${index}]`, message: text }));

  it('lists up to 100 and reports if there are more', () => {
    const whole = invalidRequest(problems(100));
    expect([whole.details.errors?.length, whole.details.errorsTruncated]).toEqual([100, undefined]);
    expect(whole.message).toBe('recipients[0]: is wrong (and 99 more, see errors)');
    const more = invalidRequest(problems(101));
    expect([more.details.errors?.length, more.details.errorsTruncated]).toEqual([100, true]);
    expect(more.message).toContain('more than 99 others; errors lists the first 100');
  });

  it('has one entry per path, and reads no more problems once it is full', () => {
    expect(invalidRequest([...problems(1, 'first'), ...problems(1, 'second')]).details.errors).toEqual([
      { path: 'recipients[0]', message: 'first' },
    ]);
    let made = 0;
    function* endless() {
      for (;;) yield { path: String(made++), message: 'is wrong' };
    }
    expect(invalidRequest(endless()).details.errorsTruncated).toBe(true);
    expect(made).toBe(101);
  });

  it('has a limited size whatever the caller’s text is', () => {
    for (const text of ['x'.repeat(1_000_000), '\ud800'.repeat(10_000), '\u0001'.repeat(10_000)]) {
      const long = problems(1_000, text).map(({ path, message }) => ({ path: `${path}${text}`, message }));
      const { message, details } = invalidRequest(long);
      const { errors, errorsTruncated } = details;
      expect(Buffer.byteLength(JSON.stringify({ message, errors }))).toBeLessThan(80_000);
      expect(errorsTruncated).toBe(true);
    }
  });
});

describe('a long JSON text', () => {
  const padding = `"${'x'.repeat(10_000)}"`;
  const members = (count: number) => Array.from({ length: count }, (_, i) => `"k${i}":{"a":1}`).join(',');
  it.each([
    ['600 members', `{"pad":${padding},${members(599)}}`],
    ['many small objects', `[${padding},${'{"a":1},'.repeat(5_000)}1]`],
    ['100 levels', `${'['.repeat(99)}[${padding}]${']'.repeat(99)}`],
    ['signs inside of strings', `["${':{['.repeat(5_000)}","\\"${':'.repeat(5_000)}"]`],
    ['a string that ends in backslashes', `["${'\\\\'.repeat(5_000)}",{"a":1}]`],
    ['no JSON at all', `"${'{'.repeat(10_000)}`],
  ])('is accepted with %s', (_, text) => expect(jsonLimitProblem(text)).toBeUndefined());
  it.each([
    ['601 members', `{"pad":${padding},${members(600)}}`, '600 members'],
    ['601 members after a nested object', `{"a":{"b":${padding}},${members(600)}}`, '600 members'],
    ['101 levels', `${'['.repeat(100)}[${padding}]${']'.repeat(100)}`, '100 levels'],
    ['more brackets closed than opened', `${']'.repeat(5_000)}${'['.repeat(5_000)}`, '100 levels'],
  ])('is rejected with %s', (_, text, words) => expect(jsonLimitProblem(text)).toContain(words));
});

test('unstorable texts are reported up to one more than a response lists', () => {
  const bad = Array.from({ length: 200_000 }, () => 'a\0b');
  expect(unstorableParts([bad, { x: bad }])).toHaveLength(101);
  expect(unstorableParts({ a: ['\0'], '\0': 1, b: 'fine' })).toEqual([
    { pointer: '/a/0', message: expect.stringContaining('NUL') },
    { pointer: '', message: expect.stringContaining('NUL') },
  ]);
});

test('the canonical JSON of a body has not changed since the first stored fingerprints', () => {
  const canonical = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(canonical);
    if (value === null || typeof value !== 'object') return value;
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return Object.fromEntries(entries.map(([key, member]) => [key, canonical(member)]));
  };
  const key = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('10', '9', '0', '01', '-1', '1.5', '4294967294', '4294967295', '99999999999'),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(null, true, 1e21, -0, 0.1, undefined),
      fc.string({ unit: 'binary' }),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(key, tie('value'), { maxKeys: 8 }),
    ),
  }));
  fc.assert(
    fc.property(fc.dictionary(key, value, { maxKeys: 6 }), (body) => {
      expect(canonicalJson(body)).toBe(JSON.stringify(canonical(body)));
    }),
    { numRuns: 200 },
  );
});
