// Mutations of what messages say: who may read it, masks of one-time codes, and texts of the time.
import type { Mutation } from '../mutation.ts';

const contents = 'src/messaging/messages/contents.ts';
const show = 'src/messaging/messages/show.ts';
const versions = 'src/messaging/templates/versions-store.ts';
const rules = ['test/rules/message-contents.test.ts'];
const api = ['test/api/messages.test.ts'];
const lists = ['test/db/message-lists.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'contents are shown to a key without conversations:read',
    file: show,
    find: "scopes.has('conversations:read')",
    replace: "scopes.has('messages:read')",
    tests: api,
  },
  {
    name: 'a stored response of a resend shows contents to another key',
    file: 'src/messaging/sending/resend-routes.ts',
    find: "canReadContents(caller) ? 'resend' : 'resend-without-contents'",
    replace: "'resend'",
    tests: api,
  },
  {
    name: 'a one-time code is shown while it is stored',
    file: contents,
    find: 'renderTemplate(plan, isCode ? masked(plan) : message.content)',
    replace: 'renderTemplate(plan, message.content)',
    tests: rules,
  },
  {
    name: 'a one-time code is shown among the values',
    file: contents,
    find: 'variables: isCode ? maskedValues(plan) : valuesOf(plan, message.content)',
    replace: 'variables: valuesOf(plan, message.content)',
    tests: rules,
  },
  {
    name: 'a one-time code is shown when the template is gone',
    file: contents,
    find: "isCode ? { '1': codeMask } : valuesOf(noPlan, message.content)",
    replace: 'valuesOf(noPlan, message.content)',
    tests: rules,
  },
  {
    name: 'a one-time code is shown if the template has another category now',
    file: contents,
    find: 'message.priority === authenticationPriority || ',
    replace: '',
    tests: rules,
  },
  {
    name: 'a later text passes for the one that was sent',
    file: contents,
    find: 'version.since <= at',
    replace: 'version.since !== at',
    tests: rules,
  },
  {
    name: 'a message shows the text of an edited template',
    file: 'src/messaging/templates/sync.ts',
    find: '  await keepVersions(tx, changed);\n',
    replace: '',
    tests: api,
  },
  {
    name: 'a message shows the text of a template that our own edit replaced',
    file: 'src/messaging/template-editing/edit.ts',
    find: 'if (edited) await keepVersions(tx, [old]);',
    replace: '',
    tests: ['test/api/template-edits.test.ts'],
  },
  {
    name: 'a message loses its text when its template is removed',
    file: 'src/messaging/templates/store.ts',
    find: '  await keepVersions(tx, rows);\n',
    replace: '',
    tests: api,
  },
  {
    name: 'new components count as older than they are',
    file: 'src/messaging/templates/store.ts',
    find: ' components_since = now(),',
    replace: '',
    tests: api,
  },
  {
    name: 'a message shows the text of another time',
    file: versions,
    find: 'where v.template_id = x.t and v.replaced_at > x.at)',
    replace: 'where v.template_id = x.t)',
    tests: lists,
  },
  {
    name: 'texts of another account are shown',
    file: versions,
    find: 'from template_versions where account_id = ${accountId} and (',
    replace: 'from template_versions where (',
    tests: lists,
  },
  {
    name: 'a message whose price is free counts as billable',
    file: 'src/adapters/meta/callback.ts',
    find: "type.startsWith('free_') ? false : null",
    replace: "type.startsWith('free_') ? true : null",
    tests: ['test/rules/meta-price.test.ts'],
  },
  {
    name: 'a later report without a price removes it',
    file: 'src/messaging/messages/moves-store.ts',
    find: 'billable = coalesce(m.billable, x.billable),',
    replace: 'billable = x.billable,',
    tests: ['test/db/message-records.test.ts'],
  },
];
