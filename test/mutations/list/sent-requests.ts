// Mutations of what attempts show of their requests.
import type { Mutation } from '../mutation.ts';

const file = 'src/webhooks/history/sent-request.ts';
const tests = ['test/rules/sent-request.test.ts'];
const store = 'src/webhooks/endpoints/store.ts';
const api = ['test/api/webhooks-attempts.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'an attempt just after a change of the endpoint counts as known',
    file,
    find: 'change.getTime() + uncertainMs',
    replace: 'change.getTime()',
    tests,
  },
  {
    name: 'a deleted endpoint signs with its emptied secret',
    file,
    find: 'endpoint.status !== endpointStatus.deleted &&',
    replace: '',
    tests,
  },
  {
    name: 'an erased body is signed as if it had been sent',
    file,
    find: 'areKeysKnown && !isErased',
    replace: 'areKeysKnown',
    tests,
  },
  {
    name: 'a signature is shown with a timestamp that is not known',
    file,
    find: "timestampSeconds === null ? null : (signed?.['webhook-signature'] ?? null)",
    replace: "signed?.['webhook-signature'] ?? null",
    tests,
  },
  {
    name: 'a new address is shown for earlier attempts',
    file: store,
    find: 'url_changed_at = case when e.url <> ${change.url} then now() else e.url_changed_at end, ',
    replace: '',
    tests: api,
  },
  {
    name: 'a new secret signs earlier attempts',
    file: store,
    find: 'secrets_changed_at = now(), ',
    replace: '',
    tests: api,
  },
];
