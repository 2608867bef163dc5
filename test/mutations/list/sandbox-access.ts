// Mutations of the sandbox through the gateway.
import type { Mutation } from '../mutation.ts';

const phones = 'sandbox/cloud-api/phones.ts';
const tests = ['test/api/sandbox-access.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'the sandbox can be reached beside a real platform',
    file: 'src/app.ts',
    find: 'options.sandbox?.cloudApiUrl === config.messaging.apiUrl ? options.sandbox : undefined',
    replace: 'options.sandbox',
    tests,
  },
  {
    name: 'a phone shows a message that failed',
    file: phones,
    find: "status === 'delivered' || status === 'read' || type === 'reaction'",
    replace: "status !== 'sent' || type !== ''",
    tests,
  },
  {
    name: 'a phone shows the messages of other accounts',
    file: phones,
    find: 'numbers.has(entry.phoneNumberId) ? arrivedAt(entry, nowMs) : undefined',
    replace: 'arrivedAt(entry, nowMs)',
    tests,
  },
  {
    name: 'somebody presses a button of a message of another account',
    file: phones,
    find: ' && numbers?.includes(entry.phoneNumberId) !== false',
    replace: '',
    tests,
  },
  {
    name: 'a switch ends the other faults of its server',
    file: 'src/sandbox-access/faults.ts',
    find: 'for (const one of [...others, ...added])',
    replace: 'for (const one of added)',
    tests,
  },
  {
    name: 'a button of a card answers with the payload of another card',
    file: 'sandbox/cloud-api/presses.ts',
    find: 'Number(one.card_index) === card',
    replace: 'Number(one.card_index) >= 0',
    tests,
  },
  {
    name: 'starting over empties the phones of other accounts',
    file: 'sandbox/cloud-api/phones.ts',
    find: "[...numbersOf(query.get('numbers'))]",
    replace: '[...state.numbers.keys()]',
    tests,
  },
  {
    name: 'a message that starting over removed can be pressed',
    file: phones,
    find: 'if (!entry || !isShown || isCleared(platform, entry.phoneNumberId, entry.acceptedAt))',
    replace: 'if (!entry || !isShown)',
    tests,
  },
  {
    name: 'starting over keeps the delays',
    file: 'src/sandbox-access/delays.ts',
    find: "['DELETE', 'settings']",
    replace: "['GET', 'settings']",
    tests,
  },
  {
    name: 'the receiver shows the events of other accounts',
    file: 'src/sandbox-access/receiver.ts',
    find: 'url.startsWith(base) ? url.slice(base.length) : []',
    replace: "['main']",
    tests,
  },
  {
    name: "the demonstration's gateway with a public address cannot connect calendars",
    file: 'demo/seed.ts',
    find: '...(isLocal ? {} : { redirectUris: [redirectUri] })',
    replace: '',
    tests: ['test/sandbox/google-oauth.test.ts'],
  },
];
