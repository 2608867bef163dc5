// Mutations of resending.
import type { Mutation } from '../mutation.ts';

const verb = 'src/messaging/sending/resend.ts';
const store = 'src/messaging/messages/resends-store.ts';
const routes = 'src/messaging/sending/resend-routes.ts';
const tests = ['test/api/resend.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'a message that was delivered in the meantime is resent',
    file: store,
    find: ' and state = ${stateSql.failed} for share',
    replace: '',
    tests,
  },
  {
    name: 'a resend does not wait for a report that is being applied',
    file: store,
    find: ' for share)',
    replace: ')',
    tests,
  },
  {
    name: 'a message is resent twice',
    file: verb,
    find: 'if (!(await insertResend(tx, resend))) throw new NotClaimed();',
    replace: 'await insertResend(tx, resend);',
    tests,
  },
  {
    name: 'a message of unknown outcome is resent without evenIfUnknown',
    file: verb,
    find: '=== ownErrors.outcomeUnknown.code && !evenIfUnknown',
    replace: '=== ownErrors.outcomeUnknown.code && evenIfUnknown === undefined',
    tests,
  },
  {
    name: 'a message whose content was removed is resent',
    file: verb,
    find: ' || content.removed !== undefined) throw',
    replace: ') throw',
    tests,
  },
  {
    name: 'a message of an authentication template is resent',
    file: verb,
    find: 'old.priority === authenticationPriority || ',
    replace: '',
    tests,
  },
  {
    name: 'a message whose template became an authentication template is resent',
    file: verb,
    find: "if (template.category.toUpperCase() === 'AUTHENTICATION') throw contentRemoved();",
    replace: '',
    tests,
  },
  {
    name: 'a message whose file was removed is resent',
    file: 'src/messaging/template-content/media-files.ts',
    find: "if (row?.state !== 'ready' || row.public_id === null) return undefined;",
    replace: 'if (!row || row.public_id === null) return undefined;',
    tests,
  },
  {
    name: 'a message is resent by another sender if its own was removed',
    file: verb,
    find: '    senderId,\n    recipients: [',
    replace: '    recipients: [',
    tests,
  },
  {
    name: 'a value without a placeholder in the current template is omitted',
    file: 'src/messaging/template-content/refill.ts',
    find: 'variables[placeholder?.qualifiedKey ?? `${prefix}${where}.(${name ?? index + 1})`] = text;',
    replace: 'if (placeholder) variables[placeholder.qualifiedKey] = text;',
    tests,
  },
  {
    name: 'the key of a repeated resend is not stored',
    file: routes,
    find: 'if (subjectId === undefined && unused) await storeResponse(deps, unused, body);',
    replace: 'if (subjectId === undefined) void storeResponse;',
    tests,
  },
  {
    name: 'a send whose template was deleted during its insert keeps its key',
    file: 'src/messaging/sending/new-sends-store.ts',
    find: 'insertKeysOf(sql`ready`, processId)',
    replace: 'insertKeysOf(sql`asked`, processId)',
    tests: ['test/api/send-idempotency.test.ts'],
  },
];
