// Mutations of templates.
import type { Mutation } from '../mutation.ts';

export const mutations: Mutation[] = [
  {
    name: 'a change of quality alone is not reported',
    file: 'src/messaging/templates/item.ts',
    find: 'before.quality_score !== after.quality_score',
    replace: 'false',
    tests: ['test/api/template-events.test.ts'],
  },
  {
    name: 'an approval by another word is reported again by a callback',
    file: 'src/messaging/templates/reports.ts',
    find: "const isStillApproved = status === 'approved' && row.status === 'approved';",
    replace: 'const isStillApproved = false;',
    tests: ['test/api/template-events.test.ts'],
  },
  {
    name: 'an approval by another word is reported again by a reading',
    file: 'src/messaging/templates/store.ts',
    find: "case when templates.status = 'approved' and excluded.status = 'approved'",
    replace: "case when templates.status = 'approved' and excluded.status = 'draft'",
    tests: ['test/api/template-events.test.ts'],
  },
  {
    name: 'a reading writes over a template that changed since it began',
    file: 'src/messaging/templates/sync.ts',
    find: "one.status !== 'draft' && one.updated_at >= begun",
    replace: 'one.updated_at < new Date(0)',
    tests: ['test/api/template-events.test.ts'],
  },
];
