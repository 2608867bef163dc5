// How checks of a sender are judged, and when a change of one is reported.
import { describe, expect, test } from 'vitest';
import { judgeSender } from '../../src/messaging/senders/checks.ts';
import type { SenderFacts } from '../../src/messaging/senders/facts.ts';
import { mergeChecks, type StoredCheck } from '../../src/messaging/senders/stored-checks.ts';
import { callbackWay } from '../../src/messaging/senders/subscribe.ts';

const now = Date.UTC(2026, 2, 10, 14);
const good: SenderFacts = {
  now,
  inspection: {
    value: { problem: null, credential: { isValid: true, expiresAtMs: null, missingPermissions: [] } },
  },
  number: {
    value: {
      businessAccountId: '102',
      ...{ displayPhone: '+1 555 010 0000', verifiedName: 'Test', isRegistered: true, status: 'CONNECTED' },
      ...{ qualityRating: 'GREEN', messagingLimit: 'TIER_2K', throughput: 80 },
      health: { canSend: 'available', problems: [] },
    },
  },
  subscription: { value: { isSubscribed: true, overrideUrl: null } },
  appCallback: { value: { url: 'https://g.example/callbacks/messaging/1', missingKinds: [] } },
  callbackUrl: 'https://g.example/callbacks/messaging/1',
  callbackBase: 'https://g.example/callbacks/messaging/',
  handshakeAt: now - 1_000,
  lastCallbackAt: now - 1_000,
  unreportedSince: null,
  templates: { readAt: now, failure: null, count: 3 },
  ...{ businessAccountId: '102', messagesPerSecond: 80, followsThroughput: true },
  advice: {
    ...{ newCredential: 'new token', appSecret: 'copy', registration: 'register', number: 'look' },
    ...{ registrationOf: { BANNED: 'ask for a review' }, rejectedRegistration: {} },
  },
};

const judged = (more: Partial<SenderFacts>) =>
  Object.fromEntries(judgeSender({ ...good, ...more }).map((check) => [check.name, check]));
const bad = (more: Partial<SenderFacts>) =>
  judgeSender({ ...good, ...more })
    .filter(({ status }) => status !== 'ok')
    .map(({ name, status }) => `${name} ${status}`);

describe('a check of a sender', () => {
  test('is ok in each respect if nothing is wrong', () => {
    expect(bad({})).toEqual([]);
    expect(judgeSender(good).every(({ fix }) => fix === null)).toBe(true);
  });

  test('has a fix if it is a warning or failed', () => {
    const worst = judgeSender({
      ...good,
      ...{ handshakeAt: null, lastCallbackAt: null, unreportedSince: now - 3_600_000 },
      inspection: { value: { problem: 'app_secret', message: 'wrong' } },
      subscription: { value: { isSubscribed: false, overrideUrl: null } },
      appCallback: { value: { url: null, missingKinds: ['messages'] } },
      templates: { readAt: null, failure: 'no', count: null },
    });
    for (const { status, fix } of worst)
      if (status === 'failed' || status === 'warning') expect(fix).not.toBeNull();
  });

  test('that needs a valid token asks for a new one if the platform no longer accepts it', () => {
    const number = { failure: 'Session has expired.', isRejected: true };
    const fixes = (isValid: boolean, ...missingPermissions: string[]) => {
      const credential = { isValid, expiresAtMs: null, missingPermissions };
      const checks = judged({ number, inspection: { value: { problem: null, credential } } });
      const names = ['registration', 'quality', 'messagingLimit', 'throughput', 'health'];
      return new Set(names.map((name) => checks[name]?.fix));
    };
    expect(fixes(false)).toEqual(new Set(['new token']));
    expect(fixes(true, 'whatsapp_business_management')).toEqual(new Set(['new token']));
    expect(fixes(true)).toEqual(new Set(['look']));
  });

  test('of a number that is not ready names what helps in its state', () => {
    const fix = (status: string) => {
      const value = {
        ...('value' in good.number ? good.number.value : undefined),
        isRegistered: false,
        status,
      };
      return judged({ number: { value: value as never } }).registration?.fix;
    };
    expect([fix('PENDING'), fix('BANNED')]).toEqual(['register', 'ask for a review']);
  });

  test('fails if the number belongs to another business account than the sender', () => {
    expect(bad({ businessAccountId: '103' })).toEqual(['subscription failed']);
    expect(judged({ businessAccountId: '103' }).subscription?.fix).toContain('102');
  });

  test('is unknown, not failed, if the platform could not be asked', () => {
    const away = { failure: 'no connection', isRejected: false };
    expect(bad({ inspection: away, number: away, subscription: away, appCallback: away })).toEqual([
      ...['token unknown', 'permissions unknown', 'tokenExpiry unknown', 'registration unknown'],
      ...['subscription unknown', 'appCallback unknown', 'quality unknown', 'messagingLimit unknown'],
      ...['throughput unknown', 'health unknown'],
    ]);
  });

  test('of an expiring token is a warning 14 days before, and failed afterwards', () => {
    const expiring = (days: number) =>
      judged({
        inspection: {
          value: {
            problem: null,
            credential: { isValid: true, missingPermissions: [], expiresAtMs: now + days * 86_400_000 },
          },
        },
      }).tokenExpiry?.status;
    expect([15, 14, 1, 0].map(expiring)).toEqual(['ok', 'warning', 'warning', 'failed']);
  });

  test('of the last callback fails only if none came after messages that have no report for ten minutes', () => {
    const since = (minutes: number, lastCallbackAt: number | null) =>
      judged({ unreportedSince: now - minutes * 60_000, lastCallbackAt }).lastCallback?.status;
    expect(since(9, null)).toBe('unknown');
    expect(since(11, null)).toBe('failed');
    expect(since(11, now - 12 * 60_000)).toBe('failed');
    expect(since(11, now - 5 * 60_000)).toBe('ok');
  });

  test('of the callback address fails if an override sends the messages elsewhere', () => {
    const subscription = { value: { isSubscribed: true, overrideUrl: 'https://other.example/' } };
    expect(judged({ subscription }).appCallback).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('https://other.example/'),
    });
  });

  test('of the rate warns if the account chose more than the platform grants', () => {
    expect(bad({ messagesPerSecond: 100 })).toEqual([]);
    expect(bad({ messagesPerSecond: 100, followsThroughput: false })).toEqual(['throughput warning']);
  });
});

describe('a change of a check', () => {
  const result = (status: StoredCheck['status']) => ({
    ...{ name: 'quality' as const, detail: '', fix: null },
    status,
  });
  const runs = (statuses: StoredCheck['status'][]) => {
    let stored: StoredCheck[] = [];
    return statuses.map((status) => {
      const { checks, changed } = mergeChecks(stored, [result(status)], now);
      stored = checks;
      return changed.map(({ from, to }) => `${from} → ${to}`).join();
    });
  };

  test('is reported once two runs in a row had it', () => {
    expect(runs(['ok', 'failed', 'failed', 'failed'])).toEqual(['', '', 'ok → failed', '']);
    expect(runs(['ok', 'failed', 'ok', 'failed', 'ok'])).toEqual(['', '', '', '', '']);
    expect(runs(['ok', 'failed', 'warning', 'warning'])).toEqual(['', '', '', 'ok → warning']);
  });

  test('is no report where the platform could not be asked', () => {
    expect(runs(['ok', 'unknown', 'unknown', 'ok'])).toEqual(['', '', '', '']);
    expect(runs(['failed', 'unknown', 'ok', 'ok'])).toEqual(['', '', '', 'failed → ok']);
  });

  test('to its first known status is no report', () => {
    expect(runs(['unknown', 'ok', 'ok'])).toEqual(['', '', '']);
  });
});

test('an override is used only where the app has the address of another program', () => {
  const way = (url: string | null) => callbackWay({ url }, 'https://g.example');
  expect(way(null)).toBe('app');
  expect(way('https://g.example/callbacks/messaging/2')).toBe('app');
  expect(way('https://g.example.evil/callbacks/messaging/2')).toBe('override');
  expect(way('https://other.example/')).toBe('override');
});
