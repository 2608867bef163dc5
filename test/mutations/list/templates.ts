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
  {
    name: 'a template that may have been made is submitted again by another number',
    file: 'src/messaging/senders/fallback.ts',
    find: "error.outcome === 'unknown' && !isRepeatable",
    replace: 'false',
    tests: ['test/api/template-callbacks.test.ts'],
  },
  {
    name: 'a file that the platform refuses is registered by every number',
    file: 'src/messaging/senders/fallback.ts',
    find: "if (error.outcome !== 'refused') return true;",
    replace: 'if (error.outcome) return true;',
    tests: ['test/api/media.test.ts'],
  },
  {
    name: 'a halted number is the first to register a file',
    file: 'src/messaging/senders/store.ts',
    find: 'order by s.halted_at is not null, s.id is not distinct',
    replace: 'order by s.id is not distinct',
    tests: ['test/api/media.test.ts'],
  },
  {
    name: 'an error repeats invisible characters of the request',
    file: 'src/base/errors.ts',
    find: 'details.errors.map(visibleProblem)',
    replace: 'details.errors',
    tests: ['test/rules/visible.test.ts'],
  },
  {
    name: 'a draft leads into a conversation of the platform',
    file: 'src/messaging/templates/draft-buttons.ts',
    find: 'platformHost.test(new URL(fixed).hostname)',
    replace: 'false',
    tests: ['test/rules/draft.test.ts'],
  },
  {
    name: 'a draft has two variables without text between them',
    file: 'src/messaging/templates/draft-texts.ts',
    find: 'if (/\\}\\}\\s*\\{\\{/.test(text))',
    replace: 'if (text === null)',
    tests: ['test/rules/draft.test.ts'],
  },
  {
    name: 'a draft has too many variables for its words',
    file: 'src/messaging/templates/draft-texts.ts',
    find: 'if (words < least)',
    replace: 'if (words < 0)',
    tests: ['test/rules/draft.test.ts'],
  },
];
