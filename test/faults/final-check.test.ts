// The final check of the fault campaign reports each violation in falsified evidence, and nothing else.
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { isSigned } from './check-events.ts';
import type { Arrival, Evidence, MessageRow } from './evidence.ts';
import { checkEvidence } from './final-check.ts';
import type { GuaranteeName } from './guarantees.ts';
import { arrival, sampleEvidence, sampleMessage, startMs } from './sample-evidence.ts';

const row = (evidence: Evidence, id: string) => evidence.messages.find((one) => one.id === id) as MessageRow;
const accepted = (evidence: Evidence, id: string) => evidence.accepted.find(({ opaque }) => opaque === id);
const arrivalOf = (evidence: Evidence, id: string, stage: string) =>
  evidence.arrivals.find(({ headers }) => headers['webhook-id'] === `event-${id}-${stage}`) as Arrival;
const without = (evidence: Evidence, gone: Arrival) => {
  evidence.arrivals = evidence.arrivals.filter((one) => one !== gone);
};
const callOf = (evidence: Evidence, id: string) => evidence.calls.find(({ opaque }) => opaque === id);
const kill = (atMs: number) => ({ kind: 'kill' as const, fromMs: atMs, toMs: atMs });

test('evidence of a run without a problem has no violation, and its figures are counted', () => {
  const { violations, figures } = checkEvidence(sampleEvidence());
  expect(violations).toEqual([]);
  expect(figures).toMatchObject({ messages: 4, read: 2, failed: 1, accepted: 1, events: 7, repeats: 0 });
});

test.each<[problem: string, guarantee: GuaranteeName, falsify: (evidence: Evidence) => void]>([
  [
    'the platform accepted one of our messages twice',
    'duplicated',
    (e) => {
      e.accepted.push({ ...(e.accepted[0] as Evidence['accepted'][0]) });
    },
  ],
  [
    'a repeat with the same key created a second send',
    'duplicated',
    (e) => {
      const again = { ...row(e, 'm4'), id: 'm5', sendId: 's3', wamid: 'wamid.m5' };
      e.messages.push(again);
      e.accepted.push({ opaque: 'm5', wamid: 'wamid.m5', phone: '15550000099', reported: [], open: 0 });
    },
  ],
  [
    'a message in a response has no row',
    'lost',
    (e) => {
      e.messages = e.messages.filter(({ id }) => id !== 'm4');
      e.accepted = e.accepted.filter(({ opaque }) => opaque !== 'm4');
      e.sends[1] = {
        ...(e.sends[1] as Evidence['sends'][0]),
        responses: [
          {
            status: 200,
            replayed: false,
            text:
              e.sends[1]?.responses[0]?.text.replaceAll('"wamid.m4"', 'null').replace('accepted', 'queued') ??
              '',
          },
        ],
      };
    },
  ],
  [
    'the platform accepted a message that has no row',
    'lost',
    (e) => {
      e.accepted.push({ opaque: 'm9', wamid: 'wamid.m9', phone: '15550000009', reported: [], open: 0 });
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
    'the row has another identifier than the platform returned',
    'wrong_state',
    (e) => {
      row(e, 'm4').wamid = 'wamid.other';
      e.sends[1] = { ...(e.sends[1] as Evidence['sends'][0]) };
    },
  ],
  [
    'a message failed with a code that the platform never returned',
    'wrong_state',
    (e) => {
      row(e, 'm3').errorCode = 131000;
    },
  ],
  [
    'a call that got a response is recorded as unknown, without a fault',
    'unknown_without_cause',
    (e) => {
      Object.assign(row(e, 'm3'), { errorCode: 900001 });
    },
  ],
  [
    'a message without a call is recorded as unknown, although no gateway was killed',
    'unknown_without_cause',
    (e) => {
      Object.assign(row(e, 'm3'), { errorCode: 900001 });
      e.calls = e.calls.filter(({ opaque }) => opaque !== row(e, 'm3').id);
      e.outages = [{ kind: 'database', fromMs: 0, toMs: row(e, 'm3').createdAtMs + 1_000 }];
    },
  ],
  [
    'a key never got a response',
    'unanswered',
    (e) => {
      e.sends[0] = { ...(e.sends[0] as Evidence['sends'][0]), responses: [] };
    },
  ],
  [
    'a caller got a bare 500',
    'unexpected_response',
    (e) => {
      e.sends[0]?.responses.unshift({ status: 500, text: '{}', replayed: false });
    },
  ],
  [
    'two responses for one key differ',
    'responses_differ',
    (e) => {
      e.sends[0]?.responses.push({ status: 200, text: '{"data":{}}', replayed: true });
    },
  ],
  [
    'a response says accepted, but the platform never accepted the message',
    'untrue_response',
    (e) => {
      const response = e.sends[1]?.responses[0] as { text: string };
      response.text = response.text.replace('"status":"failed"', '"status":"accepted"');
    },
  ],
  ['an endpoint did not get one event', 'event_missing', (e) => without(e, arrivalOf(e, 'm1', 'read'))],
  [
    'an event arrived, but the receiver never acknowledged it',
    'event_missing',
    (e) => {
      arrivalOf(e, 'm1', 'read').answered = 'reset';
    },
  ],
  [
    'a later stage arrived first before an earlier one',
    'event_out_of_order',
    (e) => {
      const [delivered, read] = [arrivalOf(e, 'm1', 'delivered'), arrivalOf(e, 'm1', 'read')];
      [delivered.seq, read.seq] = [read.seq, delivered.seq];
    },
  ],
  [
    'an event reports a stage that was never reached',
    'event_unfounded',
    (e) => {
      e.arrivals.push(arrival(sampleMessage('m4'), 'sent', 50));
    },
  ],
  [
    'an event names another recipient',
    'event_unfounded',
    (e) => {
      row(e, 'm4').state = 'sent';
      if (e.accepted.at(-1)) (e.accepted.at(-1) as Evidence['accepted'][0]).reported = ['sent'];
      const other = {
        ...(sampleMessage('m4') as NonNullable<ReturnType<typeof sampleMessage>>),
        phone: '15551111111',
      };
      e.arrivals.push(arrival(other, 'sent', 50));
    },
  ],
  [
    'the signature over the body is wrong',
    'bad_signature',
    (e) => {
      const { headers } = arrivalOf(e, 'm3', 'failed');
      e.arrivals.push({
        ...arrivalOf(e, 'm3', 'failed'),
        headers: { ...headers, 'x-webhook-signature': 'sha256=00' },
      });
    },
  ],
  [
    'the signature of Standard Webhooks is wrong',
    'bad_signature',
    (e) => {
      const { headers } = arrivalOf(e, 'm3', 'failed');
      e.arrivals.push({ ...arrivalOf(e, 'm3', 'failed'), headers: { ...headers, 'webhook-timestamp': '1' } });
    },
  ],
  [
    'a second attempt has another id',
    'webhook_id_changed',
    (e) => {
      e.outages = [kill(startMs)];
      const other = arrival(sampleMessage('m1'), 'sent', 60);
      const key = { ...other, body: other.body };
      e.arrivals.push(resigned(key, 'another-id'));
    },
  ],
  [
    'an acknowledged event was repeated without a fault',
    'repeat_without_cause',
    (e) => {
      e.arrivals.push({ ...arrivalOf(e, 'm1', 'sent'), seq: 70 });
    },
  ],
  [
    'a delivery is still open',
    'still_open',
    (e) => {
      Object.assign(e.deliveries[0] as object, { state: 'pending' });
    },
  ],
  [
    'the wait for open work timed out',
    'still_open',
    (e) => {
      e.unfinished = 'two messages are queued';
    },
  ],
  [
    'a gateway exited without being killed',
    'died_by_itself',
    (e) => {
      e.unexpectedExits = ['gateway 0 ended with 1'];
    },
  ],
])('%s: %s', (_problem, guarantee, falsify) => {
  const evidence = sampleEvidence();
  falsify(evidence);
  const { violations, broken } = checkEvidence(evidence);
  expect([...new Set(violations.map((one) => one.guarantee))]).toEqual([guarantee]);
  expect(broken[guarantee]).toBeGreaterThan(0);
});

/** The same webhook with another id, correctly signed. */
function resigned(one: Arrival, id: string): Arrival {
  const secret = sampleEvidence().hooks[0]?.secret ?? '';
  const at = new Date(Number(one.headers['webhook-timestamp']) * 1000);
  const signature = new Webhook(secret).sign(id, at, one.body);
  return { ...one, headers: { ...one.headers, 'webhook-id': id, 'webhook-signature': signature } };
}

test('an unknown outcome or a repeated event is no violation if a kill explains it', () => {
  const evidence = sampleEvidence();
  evidence.outages = [kill(startMs + 10)];
  Object.assign(row(evidence, 'm3'), { errorCode: 900001 });
  evidence.arrivals.push({ ...arrivalOf(evidence, 'm1', 'sent'), seq: 70 });
  const { violations, figures } = checkEvidence(evidence);
  expect(violations).toEqual([]);
  expect(figures).toMatchObject({ kills: 1, outcome_unknown: 1, repeats: 1 });
});

test('an event counts as acknowledged after a 2xx whose body never ends, but not after such an error', () => {
  const evidence = sampleEvidence();
  arrivalOf(evidence, 'm1', 'read').answered = 'flood 200';
  expect(checkEvidence(evidence).violations).toEqual([]);
  arrivalOf(evidence, 'm1', 'read').answered = 'drip 500';
  expect(checkEvidence(evidence).broken.event_missing).toBe(1);
});

test('an unknown outcome is allowed after a call without a response, but not once the platform has reported', () => {
  const spoiled = sampleEvidence();
  Object.assign(row(spoiled, 'm4'), { state: 'failed', errorCode: 900001 });
  Object.assign(callOf(spoiled, 'm4') as object, { response: 'reset' });
  spoiled.arrivals.push(
    arrival({ ...(sampleMessage('m4') as never as object), errorCode: 900001 } as never, 'failed', 80),
  );
  expect(checkEvidence(spoiled).violations).toEqual([]);
  Object.assign(accepted(spoiled, 'm4') as object, { reported: ['sent'] });
  expect(checkEvidence(spoiled).broken.unknown_without_cause).toBe(1);
});

test('reports more repeats than can have been in flight, even if each one is explained', () => {
  const evidence = sampleEvidence();
  evidence.outages = [kill(startMs)];
  const again = arrivalOf(evidence, 'm1', 'sent');
  for (let count = 0; count < 1_100; count += 1) evidence.arrivals.push({ ...again, seq: 100 + count });
  expect(checkEvidence(evidence).broken).toMatchObject({ too_many_repeats: 1, repeat_without_cause: 0 });
});

test('verifies signatures as the library of Standard Webhooks creates them', () => {
  const [one] = sampleEvidence().arrivals;
  const secret = sampleEvidence().hooks[0]?.secret ?? '';
  expect(isSigned(resigned(one as Arrival, 'event-m1-sent'), secret)).toBe(true);
  expect(isSigned(resigned(one as Arrival, 'event-m1-sent'), `whsec_${'A'.repeat(43)}=`)).toBe(false);
});
