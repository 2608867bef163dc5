// Mutations of the history of templates, the shown pace of senders, and who made a send.
import type { Mutation } from '../mutation.ts';

const paces = 'src/messaging/senders/paces-store.ts';
const rows = ['test/db/sender-paces.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'a change of a template is not in its history',
    file: 'src/messaging/templates/status-events.ts',
    find: 'await insertTemplateChanges(tx, reportable, deps.clock.now());',
    replace: '',
    tests: ['test/api/template-events.test.ts'],
  },
  {
    name: 'a recovered number is shown as throttled',
    file: paces,
    find: 'case when until > now() then slowed_code end as code',
    replace: 'slowed_code as code',
    tests: rows,
  },
  {
    name: 'the pause after a rejection is not shown',
    file: paces,
    find: "and tat > now() + interval '2 seconds' then tat end",
    replace: "and tat > now() + interval '2 seconds' then null end",
    tests: rows,
  },
  {
    name: 'a draft does not remember who made it',
    file: 'src/messaging/campaigns/drafts.ts',
    find: 'createdBy: currentCreator(),',
    replace: '',
    tests: ['test/api/drafts.test.ts'],
  },
];
