// Mutations of opt-outs.
import type { Mutation } from '../mutation.ts';

const conditions = 'src/messaging/sending/messages-sql-store.ts';
const sends = 'src/messaging/sending/sends-store.ts';
const rule = 'src/messaging/opt-outs/opt-out.ts';
const rules = ['test/rules/opt-out.test.ts'];
const gate = ['test/db/opt-outs.test.ts'];
const api = ['test/api/opt-outs.test.ts'];
const sources = ['test/api/opt-out-sources.test.ts'];
const words = ['test/rules/opt-out-words.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'messages to people who opted out begin their dispatch',
    file: conditions,
    find: '\n  and not ${isUnwanted})`;',
    replace: ')`;',
    tests: gate,
  },
  {
    name: 'messages to people who opted out are stored as dispatching',
    file: sends,
    find: 'select is_open and x.id not in (select id from unwanted) as may_call',
    replace: 'select is_open as may_call',
    tests: gate,
  },
  {
    name: 'recipients who opted out enter the queue',
    file: 'src/messaging/campaigns/feeds-store.ts',
    find: 'case when not ${isOptedOut(sql`m.account_id`, sql`m.phone`, sql`coalesce(send.priority, 2)`)} then now() end',
    replace: 'now()',
    tests: gate,
  },
  {
    name: 'the opt-out of marketing stops utility templates',
    file: conditions,
    find: 'select o.opt_out + ${priority} >',
    replace: 'select o.opt_out + ${priority} + 1 >',
    tests: gate,
  },
  {
    name: 'the opt-out of all stops one-time codes',
    file: conditions,
    find: 'case when ${priority} > ${authenticationSql} then (select o.opt_out + ${priority}',
    replace: 'case when true then (select o.opt_out + ${priority} + 1',
    tests: gate,
  },
  {
    name: 'messages to people who opted out while they were queued stay queued',
    file: 'src/messaging/sending/dispatch-writes.ts',
    find: 'found.map((key) => ({ ...key, error: ownErrors.optedOut }))',
    replace: 'found.slice(found.length).map((key) => ({ ...key, error: ownErrors.optedOut }))',
    tests: gate,
  },
  {
    name: 'a recipient who opted out is not failed when the send is stored',
    file: 'src/messaging/sending/send.ts',
    find: 'const optedOut = new Set(stored.optedOut);',
    replace: 'const optedOut = new Set(stored.optedOut.slice(stored.optedOut.length));',
    tests: api,
  },
  {
    name: 'an older act decides because it arrives later',
    file: rule,
    find: 'if (secondOf(atMs) < secondOf(state.actedAtMs)) return state;',
    replace: '',
    tests: rules,
  },
  {
    name: 'the time of the platform is in the future',
    file: rule,
    find: 'Math.min(act.atMs, nowMs)',
    replace: 'act.atMs',
    tests: rules,
  },
  {
    name: 'a start word lifts what the API stopped as all',
    file: rule,
    find: 'if (state.scope === scope.all) return state;',
    replace: '',
    tests: rules,
  },
  {
    name: 'a repeated opt-out keeps its first time',
    file: rule,
    find: 'actedAtMs: Math.max(atMs, state.actedAtMs)',
    replace: 'actedAtMs: state.actedAtMs',
    tests: rules,
  },
  {
    name: 'identities keep another opt-out than their contact',
    file: 'src/messaging/opt-outs/store.ts',
    find: 'update contact_identities i set opt_out = x.scope from x',
    replace: 'update contact_identities i set opt_out = i.opt_out from x',
    tests: gate,
  },
  {
    name: 'a new identity of a person who opted out has no opt-out',
    file: 'src/messaging/contacts/record-people.ts',
    find: 'const optOut = Math.max(...rows.map((row) => row.optOut));',
    replace: 'const optOut = rows.length > 99 ? 1 : 0;',
    tests: gate,
  },
  {
    name: 'a merge keeps the weaker opt-out',
    file: 'src/messaging/contacts/identities-store.ts',
    find: 'order by scope desc, acted_at desc, contact_id limit 1',
    replace: 'order by scope, acted_at desc, contact_id limit 1',
    tests: gate,
  },
  {
    name: 'a merge keeps the older of equal opt-outs',
    file: 'src/messaging/contacts/identities-store.ts',
    find: 'order by scope desc, acted_at desc, contact_id limit 1',
    replace: 'order by scope desc, acted_at, contact_id limit 1',
    tests: gate,
  },
  {
    name: 'the opt-out of a merged contact stays with it',
    file: 'src/messaging/contacts/identities-store.ts',
    find: 'update opt_outs set contact_id = ${contactId} where ${all}',
    replace: 'update opt_outs set contact_id = contact_id where ${all}',
    tests: gate,
  },
  {
    name: 'acts are recorded for a contact that is being merged',
    file: 'src/messaging/contacts/contacts-store.ts',
    find: 'order by c.account_id, c.id for no key update of c`.execute(tx);\n  return rows;',
    replace: 'order by c.account_id, c.id`.execute(tx);\n  return rows;',
    tests: gate,
  },
  {
    name: 'a stop word counts within a longer text',
    file: 'src/messaging/opt-outs/words.ts',
    find: 'if (words.stop.has(word)) return',
    replace: 'if ([...words.stop].some((one) => word.startsWith(one))) return',
    tests: words,
  },
  {
    name: 'words are compared without the rules of Unicode',
    file: 'src/messaging/opt-outs/words.ts',
    find: "bare.toUpperCase().toLowerCase().replaceAll('i\\u0307', 'i').replaceAll('ς', 'σ').normalize('NFC')",
    replace: 'bare.toLowerCase()',
    tests: words,
  },
  {
    name: 'a button counts by its text',
    file: 'src/messaging/opt-outs/words.ts',
    find: 'return content.button?.payload ?? content.interactive?.id;',
    replace: 'return content.button?.text ?? content.interactive?.id;',
    tests: words,
  },
  {
    name: 'notices count as stop words',
    file: 'src/messaging/opt-outs/words.ts',
    find: 'isFromPerson &&\n  ((type',
    replace: '((type',
    tests: words,
  },
  {
    name: 'a notice of another category is a preference',
    file: 'src/adapters/meta/preferences.ts',
    find: "notice.category !== 'marketing_messages' ||",
    replace: '',
    tests: ['test/rules/meta-preferences.test.ts'],
  },
  {
    name: 'what arrives counts at the time of its arrival',
    file: 'src/messaging/received/opt-out-acts.ts',
    find: 'message.timestamp === null ? nowMs : message.timestamp * 1000',
    replace: 'nowMs',
    tests: sources,
  },
  {
    name: 'a notice of the platform counts at the time of its arrival',
    file: 'src/messaging/received/opt-out-acts.ts',
    find: 'report.timestamp === null ? nowMs : report.timestamp * 1000',
    replace: 'nowMs',
    tests: sources,
  },
  {
    name: 'the error that a person stopped marketing messages is no opt-out',
    file: 'src/messaging/sending/react-to-failures.ts',
    find: "if (platform.classify(error) !== 'opted_out') return [];",
    replace: 'if (error !== null) return [];',
    tests: sources,
  },
  {
    name: 'an answer does not link the number that its message was sent to',
    file: 'src/messaging/received/people-in-batch.ts',
    find: 'const isOther = isFromPerson && answered && answered !== person.phone;',
    replace: 'const isOther = false;',
    tests: sources,
  },
  {
    name: 'an import counts as decided now, whatever it says',
    file: 'src/messaging/opt-outs/import.ts',
    find: "const atMs = at === '' ? null : instant.test(at) ? Date.parse(at) : Number.NaN;",
    replace: 'const atMs = at === at ? null : Number.NaN;',
    tests: api,
  },
  {
    name: 'an export loses the other numbers of a person',
    file: 'src/messaging/opt-outs/export.ts',
    find: "otherPhones: own.filter((phone) => phone !== item.phone).join(' ')",
    replace: "otherPhones: own.slice(own.length).join(' ')",
    tests: api,
  },
  {
    name: 'the answer to an upload of recipients does not count who opted out',
    file: 'src/messaging/campaigns/add-recipients.ts',
    find: 'result.optedOut += batch.opted_out;',
    replace: '',
    tests: api,
  },
];
