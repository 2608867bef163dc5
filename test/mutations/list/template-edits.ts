// Mutations of edits of templates.
import type { Mutation } from '../mutation.ts';

const rules = 'src/messaging/templates/edit-rules.ts';
const operation = 'src/messaging/template-editing/edit.ts';
const tests = ['test/api/template-edits.test.ts'];
const ruleTests = ['test/rules/template-edits.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'an approved template may be edited any number of times in 30 days',
    file: rules,
    find: 'per30Days: 10 }',
    replace: 'per30Days: 1000 }',
    tests: ruleTests,
  },
  {
    name: 'an approved template may be edited twice a day',
    file: rules,
    find: 'perDay: 1,',
    replace: 'perDay: 2,',
    tests: ruleTests,
  },
  {
    name: 'a template in review may be edited',
    file: 'src/adapters/meta/error-codes.ts',
    find: "providerStatus === 'PAUSED'",
    replace: "providerStatus !== 'DISABLED'",
    tests: ruleTests,
  },
  {
    name: 'a rejected template is submitted again with a sample that only the platform has',
    file: operation,
    find: '  requireSamples(row.components);\n',
    replace: '',
    tests: ['test/api/template-samples.test.ts'],
  },
  {
    name: 'an edit takes the address of a sample for a handle',
    file: 'src/messaging/template-editing/draft.ts',
    find: 'else if (isAddress(handle))',
    replace: "else if (handle === '')",
    tests: ['test/api/template-samples.test.ts'],
  },
  {
    name: 'a template is edited while messages of it are queued',
    file: operation,
    find: '!of.cancelQueued && (await',
    replace: 'of.cancelQueued && (await',
    tests,
  },
  {
    name: 'an edit that the platform rejected keeps the template unsendable',
    file: operation,
    find: 'await restore(isUnknown ? undefined : before);',
    replace: 'if (isUnknown) await restore(undefined);',
    tests,
  },
  {
    name: 'edits of an approved template are not counted',
    file: operation,
    find: '...(counts ? [now] : [])',
    replace: '...(counts ? [] : [])',
    tests,
  },
  {
    name: 'the category of an approved template is edited',
    file: 'src/messaging/template-editing/edit-content.ts',
    find: 'row.status === templateStatus.approved && category',
    replace: 'row.status === templateStatus.draft && category',
    tests,
  },
  {
    name: 'an edit that changes nothing starts a review',
    file: operation,
    find: 'if (Object.keys(differences).length === 0)',
    replace: 'if (Object.keys(differences).length < 0)',
    tests,
  },
  {
    name: 'an edit of an outdated copy is taken for no change',
    file: operation,
    find: 'if (isCurrent) return',
    replace: 'if (isCurrent !== null) return',
    tests,
  },
  {
    name: 'an edit of an outdated copy sends only its differences',
    file: operation,
    find: 'isCurrent ? differences : given',
    replace: 'differences',
    tests,
  },
  {
    name: 'a time to live is not set again with a new category',
    file: 'src/messaging/template-editing/edit-content.ts',
    find: '(isRecategorized || ttl !== row.message_ttl_seconds)',
    replace: 'ttl !== row.message_ttl_seconds',
    tests,
  },
  {
    name: 'an announced category stays after the change',
    file: 'src/messaging/templates/apply-reports.ts',
    find: ', nextCategory: null }',
    replace: ' }',
    tests,
  },
  {
    name: 'messages of a changed template are called before they are checked',
    file: 'src/messaging/messages/sql-store.ts',
    find: ' or ${template}.recheck_since is not null',
    replace: '',
    tests: ['test/api/template-rechecks.test.ts'],
  },
  {
    name: 'a message that no longer fits its template is sent',
    file: 'src/messaging/dispatch/recheck.ts',
    find: 'content !== null && !fits(plan, content)',
    replace: 'content !== null && !fits && fits(plan, content)',
    tests: ['test/api/template-rechecks.test.ts'],
  },
  {
    name: 'a change of only the examples stops the template for a check',
    file: 'src/messaging/template-content/fits.ts',
    find: "key === 'example' ? undefined : value",
    replace: 'value',
    tests: ['test/rules/template-fits.test.ts'],
  },
  {
    name: 'a send that was checked against earlier components is stored',
    file: 'src/messaging/sending/new-sends-store.ts',
    find: '\n        and components_changed_at is not distinct from a.changed_at',
    replace: '',
    tests: ['test/api/template-rechecks.test.ts'],
  },
  {
    name: 'a message with a file is checked without it',
    file: 'src/messaging/template-content/fits.ts',
    find: "...(own ? { mediaId: 'header' } : {})",
    replace: '',
    tests: ['test/rules/template-fits.test.ts'],
  },
  {
    name: 'a pause is ended although the platform says that it is not',
    file: 'src/adapters/meta/platform.ts',
    find: 'if (success === true) return;',
    replace: 'if (success !== undefined) return;',
    tests: ['test/api/unpause-template.test.ts'],
  },
  {
    name: 'a template whose pause was ended is not read',
    file: 'src/messaging/template-editing/unpause.ts',
    find: 'await makeTemplatesDue(tx, [row.id]);',
    replace: '',
    tests: ['test/api/unpause-template.test.ts'],
  },
];
