// Requests that wait for their messages.
import { expect, it } from 'vitest';
import { type Completion, openCompletionWaiters } from '../../src/messaging/messages/completion-waiters.ts';

const accepted = (id: string): Completion => ({ id, state: 2, wamid: `wamid.${id}`, error: null });
const found = async () => [];
const long = 60_000;

it('a request completes with the first result of each message, and how long its call took', async () => {
  const waiters = openCompletionWaiters();
  const waiting = waiters.wait(['a', 'b'], long, found);
  waiters.called('a', 12);
  waiters.completed(accepted('a'));
  waiters.completed({ ...accepted('a'), state: 9 });
  waiters.completed(accepted('b'));
  expect(Object.fromEntries(await waiting)).toEqual({
    a: { ...accepted('a'), callMs: 12 },
    b: accepted('b'),
  });
});

it('a request that ends early has the results so far', async () => {
  const waiters = openCompletionWaiters();
  const waiting = waiters.wait(['a', 'b'], long, found);
  waiters.completed(accepted('b'));
  waiters.end();
  expect([...(await waiting).keys()]).toEqual(['b']);
  expect(await waiters.wait(['c'], long, found)).toEqual(new Map());
});
