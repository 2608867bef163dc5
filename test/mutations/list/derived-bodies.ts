// Mutations of bodies that deliveries do not store.
import type { Mutation } from '../mutation.ts';

const events = 'src/messaging/messages/status-events.ts';
const publishing = 'src/webhooks/publish-store.ts';
const fragments = 'src/webhooks/delivery/derived-body-store.ts';
const bodies = 'src/webhooks/delivery/derived-body.ts';
const history = 'src/webhooks/history/store.ts';
const tests = ['test/api/webhooks-derived.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'the body of a failure is not stored, although a later report changes the error',
    file: events,
    find: "stage.name !== 'failed' && row.wamid !== null",
    replace: 'row.wamid !== null',
    tests,
  },
  {
    name: 'a body that is not stored gets the time at which it is read',
    file: bodies,
    find: '    madeMs,\n  );',
    replace: '    Date.now(),\n  );',
    tests: ['test/rules/derived-body.test.ts'],
  },
  {
    name: 'a body that is not stored has the time of another stage',
    file: fragments,
    find: 'then s.delivered_at else s.read_at end',
    replace: 'then s.sent_at else s.read_at end',
    tests,
  },
  {
    name: 'a delivery of a removed message stops the claim of all others',
    file: bodies,
    find: 'return body === undefined ? [] : [{ ...row, body }];',
    replace:
      "if (body === undefined) throw new Error('the message is gone');\n    return [{ ...row, body }];",
    tests,
  },
  {
    name: 'a delivery is found by our id of its message, which its event does not have',
    file: history,
    find: ' and d.subject_id = any (array${ofPlatform}))`',
    replace: ')`',
    tests,
  },
  {
    name: 'a delivery stores what its message has',
    file: publishing,
    find: 'event.derivation ? null : event.body',
    replace: 'event.body',
    tests,
  },
];
