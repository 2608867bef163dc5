// Mutations of how secrets are kept.
import type { Mutation } from '../mutation.ts';

export const mutations: Mutation[] = [
  {
    name: 'a number whose app secret an earlier version hashed is not found',
    file: 'src/messaging/senders/access.ts',
    find: "...keyedHash.allOf(appSecretPurpose, appSecret), createHash('sha256').update(appSecret).digest()",
    replace: '...keyedHash.allOf(appSecretPurpose, appSecret)',
    tests: ['test/api/messaging-callback.test.ts'],
  },
  {
    name: 'a rotation leaves the hash of the app secret under the old key',
    file: 'src/commands/rotate-encryption-key.ts',
    find: '  await rehashAllSenders(deps);',
    replace: '',
    tests: ['test/journeys/start-keys.test.ts'],
  },
  {
    name: 'fingerprints of bodies can be tested without a key',
    file: 'src/base/keyed-hash.ts',
    find: "createHmac('sha256', key)",
    replace: "createHmac('sha256', 'no key')",
    tests: ['test/rules/fingerprints.test.ts'],
  },
];
