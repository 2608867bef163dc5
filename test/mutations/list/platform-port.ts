// Mutations of the contract between the platform's port and its adapters.
import type { Mutation } from '../mutation.ts';

const otherPlatform = ['test/journeys/other-platform.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'an adapter gets the path of a callback instead of its public URL',
    file: 'src/messaging/callback.ts',
    find: `url: \`\${deps.publicUrl()}\${url}\`,`,
    replace: 'url,',
    tests: otherPlatform,
  },
  {
    name: 'a callback is read although it was not verified',
    file: 'src/messaging/callback.ts',
    find: 'if (deps.platform.verifyCallback(callback, app.secret)) return { app, callback };',
    replace: 'return { app, callback };',
    tests: otherPlatform,
  },
  {
    name: 'the adapter calls the account’s own address without the guard',
    file: 'src/adapters/meta/client.ts',
    find: 'sender.isOwnAddress ? options.guardedOutgoing : options.outgoing',
    replace: 'options.outgoing',
    tests: ['test/ports/platform.test.ts'],
  },
];
