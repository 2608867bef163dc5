// Mutations of inbound messages and contacts.
import type { Mutation } from '../mutation.ts';

const parsing = ['test/rules/meta-received.test.ts', 'test/rules/meta-received-unreadable.test.ts'];
const received = ['test/api/received.test.ts'];
const contacts = ['test/api/contacts.test.ts'];
const media = ['test/api/received-media.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'manage does not include the scope of conversations',
    file: 'src/contract/envelope.ts',
    find: "own.includes('manage') ? [...own, ...includedInManage] : own",
    replace: 'own',
    tests: ['test/db/key-bounds.test.ts'],
  },
  {
    name: 'a message gets the contact of another one of its callback',
    file: 'src/adapters/meta/received.ts',
    find: 'isOnePerson && contacts.length === 1',
    replace: 'contacts.length === 1',
    tests: parsing,
  },
  {
    name: 'a notice of the platform opens a reply window',
    file: 'src/adapters/meta/received.ts',
    find: " && type !== 'system'",
    replace: '',
    tests: parsing,
  },
  {
    name: 'the first of several members with one name is the source',
    file: 'src/adapters/meta/json-source.ts',
    find: 'if (key === name) found =',
    replace: 'if (key === name) found ??=',
    tests: parsing,
  },
  {
    name: 'deeply nested answers of a form are parsed',
    file: 'src/adapters/meta/received-content.ts',
    find: 'isDeeper(parsed, depthMax) ? longText(value) : parsed',
    replace: 'parsed',
    tests: parsing,
  },
  {
    name: 'the id of an inbound message depends on the time of arrival',
    file: 'src/messaging/received/received-id.ts',
    find: '(timestamp ?? 0) * 1000',
    replace: 'Date.now()',
    tests: received,
  },
  {
    name: 'a message that cannot be stored fails its callback',
    file: 'src/messaging/received/apply-received.ts',
    find: '/^(22|23|54)/.test(',
    replace: '/^never/.test(',
    tests: received,
  },
  {
    name: 'a platform object of more than 64 KB is kept',
    file: 'src/messaging/received/apply-received.ts',
    find: 'Buffer.byteLength(message.raw) <= rawMaxBytes',
    replace: 'Buffer.byteLength(message.raw) <= rawMaxBytes * 2',
    tests: received,
  },
  {
    name: 'older names replace newer ones',
    file: 'src/messaging/contacts/contacts-store.ts',
    find: 'const isNewer = sql`(c.last_received_at is null or',
    replace: 'const isNewer = sql`(true or',
    tests: contacts,
  },
  {
    name: 'an older message moves the reply window back',
    file: 'src/messaging/contacts/contacts-store.ts',
    find: '\n    where excluded.last_received_at > w.last_received_at',
    replace: '',
    tests: contacts,
  },
  {
    name: 'a merged contact loses its opt-out',
    file: 'src/messaging/contacts/record-people.ts',
    find: 'if (optOut > 0) await',
    replace: 'if (optOut > 2) await',
    tests: contacts,
  },
  {
    name: 'the newer of two contacts remains',
    file: 'src/messaging/contacts/record-people.ts',
    find: 'remaining(row.contactId)))].sort();',
    replace: 'remaining(row.contactId)))].sort().reverse();',
    tests: contacts,
  },
  {
    name: 'a closed reply window is shown',
    file: 'src/messaging/contacts/presenter.ts',
    find: 'closesAtMs > nowMs',
    replace: 'closesAtMs > 0',
    tests: contacts,
  },
  {
    name: 'the token is sent to any host that a download address names',
    file: 'src/adapters/meta/received-media.ts',
    find: '!isDocumented(url, sender)',
    replace: 'url.protocol === "x:"',
    tests: media,
  },
  {
    name: 'the download of an account’s own address bypasses the address guard',
    file: 'src/adapters/meta/received-media.ts',
    find: 'isOnApi(address.url, sender) && !sender.isOwnAddress',
    replace: 'isOnApi(address.url, sender)',
    tests: media,
  },
  {
    name: 'a received file of more than 100 MB is passed on',
    file: 'src/adapters/meta/received-media.ts',
    find: 'address.size !== null && address.size > maxBytes',
    replace: 'address.size === -1',
    tests: media,
  },
  {
    name: 'an expired download address is not asked for again',
    file: 'src/adapters/meta/received-media.ts',
    find: 'attempt < 2',
    replace: 'attempt < 1',
    tests: media,
  },
  {
    name: 'a file is shown whose first bytes contradict its type',
    file: 'src/messaging/media/served-file.ts',
    find: 'shownTypes[bare]?.(file.head) === true',
    replace: 'true',
    tests: media,
  },
  {
    name: 'the number that the platform names in its answer is not linked',
    file: 'src/adapters/meta/platform.ts',
    find: 'waId === null || waId === phone ? {} :',
    replace: 'waId !== null ? {} :',
    tests: contacts,
  },
];
