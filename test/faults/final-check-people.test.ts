// The final check of operated sends, opt-outs, inbound messages and replies reports each violation in falsified evidence.
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { callsEndWithinMs } from './check-operated.ts';
import type { Evidence } from './evidence.ts';
import { checkEvidence } from './final-check.ts';
import type { GuaranteeName } from './guarantees.ts';
import { sampleEvidence, startMs } from './sample-evidence.ts';

const late = startMs + callsEndWithinMs + 1;

/** The sample, with its second send operated, an opt-out, an inbound message and a reply. */
function evidenceOfPeople(): Evidence {
  const evidence = sampleEvidence();
  const [m3, m4] = evidence.messages.filter(({ sendId }) => sendId === 's2');
  evidence.sends = evidence.sends.slice(0, 1);
  const stops = [{ fromMs: startMs - 1, toMs: startMs + 60_000 }];
  const phones = [m3?.phone ?? '', m4?.phone ?? ''];
  evidence.operated = [{ sendId: 's2', phones, isStarted: true, isCancelled: false, stops }];
  evidence.optOuts = [{ phone: m4?.phone ?? '', answeredAtMs: startMs - 1 }];
  evidence.written = [{ messageRef: 'wamid.in', phone: '15550000009' }];
  evidence.received = [{ id: 'r1', messageRef: 'wamid.in' }];
  const replied = { id: 'm1', messageId: 'wamid.m1' };
  evidence.replies = [
    {
      phone: '15550000001',
      responses: [{ status: 200, replayed: false, text: JSON.stringify({ data: replied }) }],
    },
  ];
  const first = evidence.arrivals[0] as Evidence['arrivals'][0];
  const secret = evidence.hooks[0]?.secret ?? '';
  const event = (name: string, data: object) => {
    const body = JSON.stringify({ event: name, data });
    const headers = {
      'x-webhook-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
      'webhook-id': `event-${name}`,
      'webhook-timestamp': String(startMs / 1000),
      'webhook-signature': new Webhook(secret).sign(`event-${name}`, new Date(startMs), body),
    };
    evidence.arrivals.push({ ...first, seq: 50 + evidence.arrivals.length, headers, body });
  };
  event('messages.received', { messageId: 'wamid.in' });
  event('contacts.opted_out', { phone: m4?.phone });
  return evidence;
}

const call = (evidence: Evidence, id: string) => evidence.calls.find(({ opaque }) => opaque === id) as object;
const eventOf = (evidence: Evidence, name: string) => (one: Evidence['arrivals'][0]) =>
  one.headers['webhook-id'] === `event-${name}` && evidence.arrivals.includes(one);

test('evidence of operated sends, opt-outs, inbound messages and replies without a problem has no violation', () => {
  const { violations, figures } = checkEvidence(evidenceOfPeople());
  expect(violations).toEqual([]);
  expect(figures).toMatchObject({
    'operated sends': 1,
    stops: 1,
    'opt-outs': 1,
    'inbound messages': 1,
    events: 9,
  });
});

test('a message may fail because its send was cancelled or its recipient opted out', () => {
  const evidence = evidenceOfPeople();
  for (const send of evidence.operated) send.isCancelled = true;
  Object.assign(evidence.messages[2] as object, { errorCode: 900003 });
  expect(checkEvidence(evidence).violations).toEqual([]);
  for (const send of evidence.operated) send.isCancelled = false;
  expect(checkEvidence(evidence).broken.wrong_state).toBe(1);
});

test.each<[problem: string, guarantee: GuaranteeName, falsify: (evidence: Evidence) => void]>([
  ['a recipient of a started send has no message', 'lost', (e) => e.operated[0]?.phones.push('15550000077')],
  ['a paused send was called', 'called_while_stopped', (e) => Object.assign(call(e, 'm3'), { at: late })],
  [
    'a person was called after their opt-out',
    'called_after_opt_out',
    (e) => Object.assign(call(e, 'm4'), { at: startMs + 90_000 }),
  ],
  ['an inbound message has no row', 'received_lost', (e) => e.received.pop()],
  [
    'an inbound message has two rows',
    'received_twice',
    (e) => e.received.push({ id: 'r2', messageRef: 'wamid.in' }),
  ],
  [
    'an endpoint did not get an inbound message',
    'event_missing',
    (e) => {
      const isIt = eventOf(e, 'messages.received');
      e.arrivals = e.arrivals.filter((one) => !isIt(one));
    },
  ],
  [
    'an endpoint did not get an opt-out',
    'event_missing',
    (e) => {
      const isIt = eventOf(e, 'contacts.opted_out');
      e.arrivals = e.arrivals.filter((one) => !isIt(one));
    },
  ],
  [
    'an endpoint got a message that nobody wrote',
    'event_unfounded',
    (e) => Object.assign(e, { written: [] }),
  ],
  [
    'a reply in a response has no row',
    'lost',
    (e) => Object.assign(e.replies[0] as object, { phone: '15550000088' }),
  ],
  [
    'a repeated reply got another response',
    'responses_differ',
    (e) => e.replies[0]?.responses.push({ status: 200, replayed: true, text: '{"data":{}}' }),
  ],
  ['a request never got a response', 'unanswered', (e) => e.unanswered.push('POST /v1/sends')],
  [
    'a request got a status that is not allowed',
    'unexpected_response',
    (e) => e.unexpectedResponses.push('500'),
  ],
])('reports that %s', (_problem, guarantee, falsify) => {
  const evidence = evidenceOfPeople();
  falsify(evidence);
  expect(checkEvidence(evidence).broken[guarantee]).toBe(1);
});
