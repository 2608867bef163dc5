// The reckoning of the fault campaign can fail: each promise that is broken in a doctored account is named, and nothing else.
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import type { Arrival, Evidence, MessageRow } from './evidence.ts';
import { arrival, madeEvidence, madeMessage, startMs } from './made-evidence.ts';
import type { PromiseName } from './promises.ts';
import { isSigned } from './reckon-events.ts';
import { reckon } from './reckoning.ts';

const row = (evidence: Evidence, id: string) => evidence.messages.find((one) => one.id === id) as MessageRow;
const taken = (evidence: Evidence, id: string) => evidence.taken.find(({ opaque }) => opaque === id);
const came = (evidence: Evidence, id: string, stage: string) =>
  evidence.arrivals.find(({ headers }) => headers['webhook-id'] === `event-${id}-${stage}`) as Arrival;
const without = (evidence: Evidence, gone: Arrival) => {
  evidence.arrivals = evidence.arrivals.filter((one) => one !== gone);
};
const callOf = (evidence: Evidence, id: string) => evidence.calls.find(({ opaque }) => opaque === id);
const kill = (atMs: number) => ({ what: 'kill' as const, fromMs: atMs, toMs: atMs });

test('an account in which all went well breaks no promise, and its figures are counted', () => {
  const { breaches, figures } = reckon(madeEvidence());
  expect(breaches).toEqual([]);
  expect(figures).toMatchObject({ messages: 4, read: 2, failed: 1, accepted: 1, events: 7, repeats: 0 });
});

test.each<[what: string, promise: PromiseName, doctor: (evidence: Evidence) => void]>([
  [
    'the platform took one of our messages twice',
    'doubled',
    (e) => {
      e.taken.push({ ...(e.taken[0] as Evidence['taken'][0]) });
    },
  ],
  [
    'a repeat under the same key made a second send',
    'doubled',
    (e) => {
      const again = { ...row(e, 'm4'), id: 'm5', sendId: 's3', wamid: 'wamid.m5' };
      e.messages.push(again);
      e.taken.push({ opaque: 'm5', wamid: 'wamid.m5', phone: '15550000099', reported: [], open: 0 });
    },
  ],
  [
    'a message that was answered for has no row',
    'lost',
    (e) => {
      e.messages = e.messages.filter(({ id }) => id !== 'm4');
      e.taken = e.taken.filter(({ opaque }) => opaque !== 'm4');
      e.sends[1] = {
        ...(e.sends[1] as Evidence['sends'][0]),
        heard: [
          {
            status: 200,
            replayed: false,
            text:
              e.sends[1]?.heard[0]?.text.replaceAll('"wamid.m4"', 'null').replace('accepted', 'queued') ?? '',
          },
        ],
      };
    },
  ],
  [
    'the platform took a message of which no row is',
    'lost',
    (e) => {
      e.taken.push({ opaque: 'm9', wamid: 'wamid.m9', phone: '15550000009', reported: [], open: 0 });
    },
  ],
  [
    'the platform reported, and the row still says queued',
    'lost',
    (e) => {
      row(e, 'm4').state = 'queued';
    },
  ],
  [
    'the row is behind what the platform reported',
    'wrong_state',
    (e) => {
      row(e, 'm1').state = 'delivered';
    },
  ],
  [
    'the row bears another identifier than the platform gave',
    'wrong_state',
    (e) => {
      row(e, 'm4').wamid = 'wamid.other';
      e.sends[1] = { ...(e.sends[1] as Evidence['sends'][0]) };
    },
  ],
  [
    'a message failed with a code that the platform never said',
    'wrong_state',
    (e) => {
      row(e, 'm3').errorCode = 131000;
    },
  ],
  [
    'the outcome of an answered call is called unknown, and nothing broke',
    'unknown_without_cause',
    (e) => {
      Object.assign(row(e, 'm3'), { errorCode: 900001 });
    },
  ],
  [
    'a message that was never called is called unknown, though no gateway died',
    'unknown_without_cause',
    (e) => {
      Object.assign(row(e, 'm3'), { errorCode: 900001 });
      e.calls = e.calls.filter(({ opaque }) => opaque !== row(e, 'm3').id);
      e.breaks = [{ what: 'database', fromMs: 0, toMs: row(e, 'm3').createdAtMs + 1_000 }];
    },
  ],
  [
    'a key never got its answer',
    'unanswered',
    (e) => {
      e.sends[0] = { ...(e.sends[0] as Evidence['sends'][0]), heard: [] };
    },
  ],
  [
    'a caller met a bare 500',
    'unexpected_answer',
    (e) => {
      e.sends[0]?.heard.unshift({ status: 500, text: '{}', replayed: false });
    },
  ],
  [
    'two answers to one key differ',
    'answers_differ',
    (e) => {
      e.sends[0]?.heard.push({ status: 200, text: '{"data":{}}', replayed: true });
    },
  ],
  [
    'an answer says accepted of what the platform never took',
    'untrue_answer',
    (e) => {
      const heard = e.sends[1]?.heard[0] as { text: string };
      heard.text = heard.text.replace('"status":"failed"', '"status":"accepted"');
    },
  ],
  ['an endpoint did not get one event', 'event_missing', (e) => without(e, came(e, 'm1', 'read'))],
  [
    'an event came, and the receiver never said that it has it',
    'event_missing',
    (e) => {
      came(e, 'm1', 'read').answered = 'reset';
    },
  ],
  [
    'a later stage first came before an earlier one',
    'event_out_of_order',
    (e) => {
      const [delivered, read] = [came(e, 'm1', 'delivered'), came(e, 'm1', 'read')];
      [delivered.seq, read.seq] = [read.seq, delivered.seq];
    },
  ],
  [
    'an event tells a stage that was never reached',
    'event_unfounded',
    (e) => {
      e.arrivals.push(arrival(madeMessage('m4'), 'sent', 50));
    },
  ],
  [
    'an event names another recipient',
    'event_unfounded',
    (e) => {
      row(e, 'm4').state = 'sent';
      if (e.taken.at(-1)) (e.taken.at(-1) as Evidence['taken'][0]).reported = ['sent'];
      const other = {
        ...(madeMessage('m4') as NonNullable<ReturnType<typeof madeMessage>>),
        phone: '15551111111',
      };
      e.arrivals.push(arrival(other, 'sent', 50));
    },
  ],
  [
    'the given signature is wrong',
    'bad_signature',
    (e) => {
      const { headers } = came(e, 'm3', 'failed');
      e.arrivals.push({
        ...came(e, 'm3', 'failed'),
        headers: { ...headers, 'x-webhook-signature': 'sha256=00' },
      });
    },
  ],
  [
    'the signature of Standard Webhooks is wrong',
    'bad_signature',
    (e) => {
      const { headers } = came(e, 'm3', 'failed');
      e.arrivals.push({ ...came(e, 'm3', 'failed'), headers: { ...headers, 'webhook-timestamp': '1' } });
    },
  ],
  [
    'a second try came under another id',
    'webhook_id_changed',
    (e) => {
      e.breaks = [kill(startMs)];
      const other = arrival(madeMessage('m1'), 'sent', 60);
      const key = { ...other, body: other.body };
      e.arrivals.push(resigned(key, 'another-id'));
    },
  ],
  [
    'an event that was taken came again, though nothing broke',
    'repeat_without_cause',
    (e) => {
      e.arrivals.push({ ...came(e, 'm1', 'sent'), seq: 70 });
    },
  ],
  [
    'a delivery had not ended',
    'still_open',
    (e) => {
      Object.assign(e.deliveries[0] as object, { state: 'pending' });
    },
  ],
  [
    'the wait for the end was given up',
    'still_open',
    (e) => {
      e.unfinished = 'two messages are queued';
    },
  ],
  [
    'a gateway ended that nobody killed',
    'died_by_itself',
    (e) => {
      e.selfDeaths = ['gateway 0 ended with 1'];
    },
  ],
])('%s: %s', (_what, promise, doctor) => {
  const evidence = madeEvidence();
  doctor(evidence);
  const { breaches, broken } = reckon(evidence);
  expect([...new Set(breaches.map((one) => one.promise))]).toEqual([promise]);
  expect(broken[promise]).toBeGreaterThan(0);
});

/** The same webhook under another id, rightly signed. */
function resigned(one: Arrival, id: string): Arrival {
  const secret = madeEvidence().hooks[0]?.secret ?? '';
  const at = new Date(Number(one.headers['webhook-timestamp']) * 1000);
  const signature = new Webhook(secret).sign(id, at, one.body);
  return { ...one, headers: { ...one.headers, 'webhook-id': id, 'webhook-signature': signature } };
}

test('what a death explains is no breach: an unknown outcome, and an event that came again', () => {
  const evidence = madeEvidence();
  evidence.breaks = [kill(startMs + 10)];
  Object.assign(row(evidence, 'm3'), { errorCode: 900001 });
  evidence.arrivals.push({ ...came(evidence, 'm1', 'sent'), seq: 70 });
  const { breaches, figures } = reckon(evidence);
  expect(breaches).toEqual([]);
  expect(figures).toMatchObject({ kills: 1, outcome_unknown: 1, repeats: 1 });
});

test('a 2xx whose body never ends has taken the event; an error whose body never ends has not', () => {
  const evidence = madeEvidence();
  came(evidence, 'm1', 'read').answered = 'flood 200';
  expect(reckon(evidence).breaches).toEqual([]);
  came(evidence, 'm1', 'read').answered = 'drip 500';
  expect(reckon(evidence).broken.event_missing).toBe(1);
});

test('an unknown outcome is also owed to a call whose answer was spoiled, but not once the platform reported', () => {
  const spoiled = madeEvidence();
  Object.assign(row(spoiled, 'm4'), { state: 'failed', errorCode: 900001 });
  Object.assign(callOf(spoiled, 'm4') as object, { told: 'reset' });
  spoiled.arrivals.push(
    arrival({ ...(madeMessage('m4') as never as object), errorCode: 900001 } as never, 'failed', 80),
  );
  expect(reckon(spoiled).breaches).toEqual([]);
  Object.assign(taken(spoiled, 'm4') as object, { reported: ['sent'] });
  expect(reckon(spoiled).broken.unknown_without_cause).toBe(1);
});

test('more repeats than can have been under way are told, though each by itself is explained', () => {
  const evidence = madeEvidence();
  evidence.breaks = [kill(startMs)];
  const again = came(evidence, 'm1', 'sent');
  for (let count = 0; count < 1_100; count += 1) evidence.arrivals.push({ ...again, seq: 100 + count });
  expect(reckon(evidence).broken).toMatchObject({ too_many_repeats: 1, repeat_without_cause: 0 });
});

test('signatures are held to what the standard’s own library makes', () => {
  const [one] = madeEvidence().arrivals;
  const secret = madeEvidence().hooks[0]?.secret ?? '';
  expect(isSigned(resigned(one as Arrival, 'event-m1-sent'), secret)).toBe(true);
  expect(isSigned(resigned(one as Arrival, 'event-m1-sent'), `whsec_${'A'.repeat(43)}=`)).toBe(false);
});
