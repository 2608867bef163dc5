// Mutations of the statements that concurrent sends share.
import type { Mutation } from '../mutation.ts';

const store = 'src/messaging/sending/new-sends-store.ts';
const steps = 'src/messaging/sending/send-steps.ts';
const tests = ['test/db/new-sends.test.ts'];
const known = ['test/db/known-templates.test.ts'];
const sends = 'src/messaging/sending/sends-store.ts';
const slots = ['test/db/dispatching-slots.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'a send is stored although another request has its key',
    file: store,
    find: ' where key is null or exists (select from keys k where k.subject_id = r.id)',
    replace: '',
    tests,
  },
  {
    name: 'a send is stored although one of its files is gone',
    file: store,
    find: 'where f.n = cardinality(a.files)',
    replace: 'where true',
    tests,
  },
  {
    name: 'a file may be removed while a send that needs it is stored',
    file: store,
    find: 'for share of m ${skip}',
    replace: '',
    tests,
  },
  {
    name: 'sends wait for the locked template of another one in their statement',
    file: store,
    find: "ifLocked === 'skip' ? sql`skip locked` : sql``",
    replace: 'sql``',
    tests,
  },
  {
    name: 'a send whose template is locked for a moment is not stored',
    file: steps,
    find: "return (await insertSends(hot, [send], { processId, ifLocked: 'wait' }))[0];",
    replace: 'return undefined;',
    tests,
  },
  {
    name: 'two sends with one key in the same statement fail',
    file: steps,
    find: '!one.key || keys.get(keyName(one)) === one',
    replace: 'true',
    tests,
  },
  {
    name: 'sends of unknown outcome are stored one by one after all',
    file: steps,
    find: 'if (isUnavailable(error)) return',
    replace: 'if (isUnavailable(error) && sends.length === 0) return',
    tests,
  },
  {
    name: 'a large send is stored with small ones',
    file: steps,
    find: 'send.messages.length <= smallMax',
    replace: 'send.messages.length > 0',
    tests,
  },
  {
    name: 'many large messages are stored in one statement',
    file: steps,
    find: 'messages.length + characters / charactersPerMessage',
    replace: 'messages.length',
    tests,
  },
  ...(
    [
      ['template', 'template_version is null or xmin::text = a.template_version', 'true'],
      ['sender', 'a.sender_version is null or xmin::text = a.sender_version', 'true'],
    ] as const
  ).map(([what, find, replace]) => ({
    name: `a send is stored with a remembered ${what} that changed`,
    ...{ file: store, find, replace, tests: known },
  })),
  {
    name: 'a send is stored with a remembered sender that is no longer the default',
    file: sends,
    find: 'or a.sender_id = (select n.id',
    replace: 'or a.sender_id is not null or a.sender_id = (select n.id',
    tests: known,
  },
  {
    name: 'a remembered template overlooks new opt-outs of erased people',
    file: sends,
    find: 'or not ${hasErased(sql`a.account_id`)} and (a.names_sender',
    replace: 'or (a.names_sender',
    tests: known,
  },
  {
    name: 'a template that is not approved is remembered',
    file: steps,
    find: " && found.template.status === 'approved'",
    replace: '',
    tests: known,
  },
  {
    name: 'the response to a single send is not stored with its acceptance',
    file: 'src/messaging/sending/messages-moves-store.ts',
    find: ', answered as (${storeResponses(responses)})',
    replace: '',
    tests: ['test/db/key-responses.test.ts'],
  },
  {
    name: 'a request gives another response than the stored one',
    file: 'src/db/idempotency-keys.ts',
    find: '(earlier.get(one.subjectId) ?? one)',
    replace: 'one',
    tests: ['test/db/key-responses.test.ts'],
  },
  {
    name: 'a request whose response is being stored responds as a faster report says',
    file: 'src/messaging/sending/completion-waiters.ts',
    find: 'if (isResponding && !completion.response) return;',
    replace: '',
    tests: ['test/rules/completion-waiters.test.ts'],
  },
  {
    name: 'the acceptance of one of several messages stores the response to all',
    file: 'src/messaging/sending/completion-waiters.ts',
    find: '!respond || ids.length > 1 || isResponding',
    replace: '!respond || isResponding',
    tests: ['test/rules/completion-waiters.test.ts'],
  },
  {
    name: 'a message is stored as dispatching although one of its files must be registered first',
    file: 'src/messaging/media/register.ts',
    find: 'if (platformMediaId === undefined) return undefined;',
    replace: 'if (platformMediaId === undefined) continue;',
    tests: ['test/db/dispatch-modes.test.ts'],
  },
  {
    name: 'a remembered registration that the platform rejected is used again',
    file: 'src/messaging/media/register.ts',
    find: 'deps.knownRegistrations.delete(registrationName(of));',
    replace: '',
    tests: ['test/db/dispatch-modes.test.ts'],
  },
  {
    name: 'a remembered registration is used after messages with it were reported as failed',
    file: 'src/messaging/media/register.ts',
    find: 'deps.knownRegistrations.clear();',
    replace: '',
    tests: ['test/db/dispatch-modes.test.ts'],
  },
  {
    name: 'a message is stored as dispatching without a slot of its sender',
    file: store,
    find: ' where sender_id = s.sender_id) is true as has_slot',
    replace: ' where sender_id = s.sender_id) is not false as has_slot',
    tests: slots,
  },
  {
    name: 'two sends of one sender get the same slot',
    file: store,
    find: '(sum(case when is_open then calls else 0 end) over',
    replace: '(0 * sum(case when is_open then calls else 0 end) over',
    tests: slots,
  },
  {
    name: 'a send that may not be called leaves the slots behind it unused',
    file: store,
    find: '(sum(case when is_open then calls else 0 end) over',
    replace: '(sum(calls) over',
    tests: slots,
  },
  {
    name: 'a send that may not be called takes slots',
    file: store,
    find: 'from chosen where is_open and calls > 0',
    replace: 'from chosen where calls > 0',
    tests: slots,
  },
  {
    name: 'a message of a later slot is called with the first',
    file: store,
    find: 'first_in_ms + before * interval_ms',
    replace: 'first_in_ms',
    tests: slots,
  },
  {
    name: 'a message is called before its slot',
    file: 'src/messaging/sending/sender-queue.ts',
    find: 'if (firstInMs <= 0) callAll();',
    replace: 'if (firstInMs >= 0) callAll();',
    tests: ['test/db/message-dispatch.test.ts'],
  },
  {
    name: 'a sender with another address releases connections that it never got',
    file: 'src/messaging/sending/sender-queue.ts',
    find: 'this.#releaseConnections(this.#takeConnected(count), false);',
    replace: 'if (!this.#access?.isOwnAddress) this.#releaseConnections(count, false);',
    tests: ['test/db/reserved-connections.test.ts'],
  },
  {
    name: 'a removed sender has no access for the calls that it reserved',
    file: 'src/messaging/sending/sender-queue.ts',
    find: 'if (!access || this.#isStopped) return 0;',
    replace: 'if (!access || this.#isStopped) return (this.#access = undefined), 0;',
    tests: ['test/db/reserved-connections.test.ts'],
  },
  {
    name: 'a reply is stored as dispatching without a slot of its sender',
    file: 'src/messaging/replies/store.ts',
    find: 'case when exists (select from slots) then',
    replace: 'case when ${wantsSlot}::boolean and is_open then',
    tests: slots,
  },
  {
    name: 'two wishes for the slots of one sender get the same ones',
    file: 'src/messaging/sending/paces-store.ts',
    find: 'row.first_in_ms += slots.granted * row.interval_ms;',
    replace: '',
    tests: ['test/db/sender-paces.test.ts'],
  },
  {
    name: 'two wishes for the slots of one sender get more than there are',
    file: 'src/messaging/sending/paces-store.ts',
    find: 'row.granted -= slots.granted;',
    replace: '',
    tests: ['test/db/sender-paces.test.ts'],
  },
  {
    name: 'a batch takes more than its weight',
    file: 'src/work/batch.ts',
    find: 'if (sum > weight.max) return',
    replace: 'if (sum > weight.max && !weight) return',
    tests: ['test/rules/batch.test.ts'],
  },
];
