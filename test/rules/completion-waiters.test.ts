// Requests that wait for their messages, and the response that is stored with the last completion.
import { expect, it } from 'vitest';
import { type Completion, openCompletionWaiters } from '../../src/messaging/sending/completion-waiters.ts';

const accepted = (id: string): Completion => ({ id, state: 2, wamid: `wamid.${id}`, error: null });
const found = async () => [];
const long = 60_000;
const respond = ({ id, state }: Completion) => ({ subjectId: 'send', status: 200, body: `${id} ${state}` });

it('a request without a key stores no response, and completes with the first result', async () => {
  const waiters = openCompletionWaiters();
  const waiting = waiters.wait(['a'], long, found);
  expect(waiters.responseTo(accepted('a'))).toBeUndefined();
  waiters.completed(accepted('a'));
  expect((await waiting).get('a')).toEqual(accepted('a'));
  expect(waiters.responseTo(accepted('a'))).toBeUndefined();
});

it('the response of a request with a key is stored with the acceptance of its only message, once', async () => {
  const waiters = openCompletionWaiters();
  const waiting = waiters.wait(['a'], long, found, respond);
  waiters.called('a', 12);
  const response = waiters.responseTo(accepted('a'));
  expect(response).toEqual({ subjectId: 'send', status: 200, body: 'a 2' });
  expect(waiters.responseTo(accepted('a'))).toBeUndefined();
  // a report that is faster than the commit does not complete the request
  waiters.completed({ ...accepted('a'), state: 9 });
  waiters.completed({ ...accepted('a'), response });
  expect((await waiting).get('a')).toEqual({ ...accepted('a'), response, callMs: 12 });
});

it('of several messages none stores a response', async () => {
  const waiters = openCompletionWaiters();
  const waiting = waiters.wait(['a', 'b'], long, found, respond);
  for (const id of ['a', 'b']) {
    expect(waiters.responseTo(accepted(id))).toBeUndefined();
    waiters.completed(accepted(id));
  }
  expect([...(await waiting).keys()]).toEqual(['a', 'b']);
});

it('a request that ends before the commit of its response has what a report said', async () => {
  const waiters = openCompletionWaiters();
  const waiting = waiters.wait(['a'], long, found, respond);
  expect(waiters.responseTo(accepted('a'))).toBeDefined();
  waiters.completed({ ...accepted('a'), state: 9 });
  waiters.end();
  expect((await waiting).get('a')).toEqual({ ...accepted('a'), state: 9 });
});
