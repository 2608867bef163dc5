// Mutations of submissions of drafts.
import type { Mutation } from '../mutation.ts';

const operation = 'src/messaging/template-editing/submit-draft.ts';
const store = 'src/messaging/template-editing/drafts-store.ts';
const sync = 'src/messaging/templates/sync.ts';
const tests = ['test/api/draft-submissions.test.ts'];
const storeTests = ['test/db/stale-writes.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'a draft is submitted twice at the same time',
    file: operation,
    find: '    requireNoSubmission(draft, deps.clock.now());\n',
    replace: '',
    tests,
  },
  {
    name: 'a draft that was submitted in the meantime is leased',
    file: operation,
    find: '    requireDraft(draft);\n',
    replace: '',
    tests,
  },
  {
    name: 'a draft is changed while it is being submitted',
    file: 'src/messaging/template-editing/edit.ts',
    find: '    requireNoSubmission(locked, deps.clock.now());\n',
    replace: '',
    tests,
  },
  {
    name: 'a draft is deleted while it is being submitted',
    file: 'src/messaging/template-editing/delete.ts',
    find: '    requireNoSubmission(before, deps.clock.now());\n',
    replace: '',
    tests,
  },
  {
    name: 'a draft is changed while it is unknown whether the platform has it',
    file: 'src/messaging/templates/submission.ts',
    find: "sinceMs < waitForReadingMs ? 'unknown' : 'none'",
    replace: "'none'",
    tests,
  },
  {
    name: 'a submission without a response is forgotten',
    file: operation,
    find: 'isCalled && !isKnown',
    replace: 'false',
    tests,
  },
  {
    name: 'a rejected submission keeps its draft',
    file: operation,
    find: "error.outcome !== 'unknown'",
    replace: "error.outcome === 'unknown'",
    tests,
  },
  {
    name: 'a draft is submitted under a lease that ended during the upload of its samples',
    file: operation,
    find: '(await renewDraftLease(deps.db, lease)) ?? leaseLost()',
    replace: '(await renewDraftLease(deps.db, lease)) ?? lease.until',
    tests: ['test/api/template-samples.test.ts'],
  },
  {
    name: 'a submission renews the lease of another one',
    file: store,
    find: 'deleting_until = ${lease.until} returning deleting_until',
    replace: 'deleting_until is not null returning deleting_until',
    tests: storeTests,
  },
  {
    name: 'a submission releases the lease of another one',
    file: store,
    find: 'deleting_until = ${lease.until}`.execute(tx);\n}\n\n/**\n * Records the',
    replace: 'deleting_until is not null`.execute(tx);\n}\n\n/**\n * Records the',
    tests: storeTests,
  },
  {
    name: 'a submission is recorded under the lease of another one',
    file: store,
    find: 'deleting_until = ${lease.until} returning *',
    replace: 'deleting_until is not null returning *',
    tests: storeTests,
  },
  {
    name: 'a reading does not release a draft that did not reach the platform',
    file: sync,
    find: 'row.status === templateStatus.draft && row.deleting_until !== null',
    replace: 'row.status !== templateStatus.draft && row.deleting_until !== null',
    tests,
  },
  {
    name: 'a reading during a submission releases its draft',
    file: sync,
    find: 'row.deleting_until <= begun',
    replace: 'row.deleting_until !== begun',
    tests,
  },
  {
    name: 'a reading leaves a draft that the platform has',
    file: sync,
    find: 'row.status !== templateStatus.draft && row.deleting_until !== null && row.deleting_until > begun',
    replace: 'row.deleting_until !== null && row.deleting_until > begun',
    tests,
  },
  {
    name: 'a submission that a reading finds is not audited',
    file: sync,
    find: "? 'template.overwritten' : 'template.submitted';\n",
    replace: "? 'template.overwritten' : undefined;\n    if (!action) continue;\n",
    tests,
  },
  {
    name: 'a submission that a reading recorded is audited twice',
    file: operation,
    find: 'const isAudited = !after &&',
    replace: 'const isAudited = false &&',
    tests,
  },
  {
    name: 'an edit of a draft reverts a concurrent one',
    file: 'src/messaging/template-editing/edit.ts',
    find: ' || !isDeepStrictEqual(valuesOf(locked), valuesOf(row))',
    replace: '',
    tests,
  },
];
