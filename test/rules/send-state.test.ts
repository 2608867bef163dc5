// The state table of sends: what each request does in each state.
import { describe, expect, test } from 'vitest';
import {
  type Decision,
  decide,
  mayChange,
  type SendAction,
  stateOf,
} from '../../src/messaging/campaigns/state.ts';
import { sendStage } from '../../src/messaging/messages/send-stage.ts';

const shown = (decision: Decision) => (decision.kind === 'move' ? `→ ${decision.to}` : decision.kind);
const actions = ['start', 'pause', 'resume', 'cancel'] as const satisfies readonly SendAction[];

describe('a request moves a send, changes nothing, or is rejected', () => {
  test.each([
    ['draft', ['→ sending', 'conflict', 'conflict', '→ cancelled']],
    ['scheduled', ['→ sending', '→ paused', 'conflict', '→ cancelled']],
    ['sending', ['nothing', '→ paused', 'nothing', '→ cancelled']],
    ['paused', ['conflict', 'nothing', '→ sending', '→ cancelled']],
    ['done', ['conflict', 'conflict', 'conflict', 'conflict']],
    ['cancelled', ['conflict', 'conflict', 'conflict', 'nothing']],
  ] as const)('%s', (state, expected) => {
    expect(actions.map((action) => shown(decide(state, action, false)))).toEqual(expected);
  });

  test('a draft that is started and a paused send that is resumed before sendAt are scheduled', () => {
    expect(shown(decide('draft', 'start', true))).toBe('→ scheduled');
    expect(shown(decide('paused', 'resume', true))).toBe('→ scheduled');
    expect(shown(decide('scheduled', 'start', true))).toBe('→ sending');
  });
});

test('only a draft may be changed in everything; name always, sendAt until it starts or while it is paused', () => {
  const states = ['draft', 'scheduled', 'sending', 'paused', 'done', 'cancelled'] as const;
  const statesOf = (member: string) => states.filter((state) => mayChange(state, member));
  expect(statesOf('name')).toEqual(states);
  expect(statesOf('sendAt')).toEqual(['draft', 'scheduled', 'paused']);
  for (const member of ['senderId', 'expiresInSeconds', 'mediaId', 'location', 'metadata'])
    expect(statesOf(member)).toEqual(['draft']);
  expect(statesOf('templateId')).toEqual([]);
});

test('the state follows from the columns: cancelled before draft before done before paused', () => {
  const at = new Date();
  const send = { stage: sendStage.started, cancelled_at: null, paused_at: null, done_at: null };
  expect(stateOf(send, true)).toBe('sending');
  expect(stateOf(send, false)).toBe('done');
  expect(stateOf({ ...send, done_at: at }, true)).toBe('done');
  expect(stateOf({ ...send, paused_at: at }, true)).toBe('paused');
  expect(stateOf({ ...send, paused_at: at }, false)).toBe('done');
  expect(stateOf({ ...send, stage: sendStage.scheduled }, true)).toBe('scheduled');
  expect(stateOf({ ...send, stage: sendStage.scheduled, paused_at: at }, true)).toBe('paused');
  expect(stateOf({ ...send, stage: sendStage.draft }, false)).toBe('draft');
  expect(stateOf({ ...send, stage: sendStage.draft, cancelled_at: at }, true)).toBe('cancelled');
});
