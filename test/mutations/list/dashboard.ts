// Mutations of the dashboard: what its pages would otherwise send, hide or show wrongly.
import type { Mutation } from '../mutation.ts';

const rows = ['test/dashboard/live-rows.test.ts'];
const recipients = ['test/dashboard/recipients.test.ts'];
const scopes = ['test/dashboard/scopes.test.ts'];
const keys = ['test/dashboard/key-press.test.ts'];
const editor = ['test/dashboard/template-editor.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'the page of webhooks asks for more than its lists need',
    file: 'dashboard/src/shell/nav.ts',
    find: "scopes: ['webhooks:manage']",
    replace: "scopes: ['manage']",
    tests: scopes,
  },
  {
    name: 'a session that may not delete an endpoint is offered to',
    file: 'dashboard/src/webhooks/endpoint.tsx',
    find: "useMay('manage')",
    replace: "useMay('webhooks:manage')",
    tests: scopes,
  },
  {
    name: 'the list of messages asks for templates without their scope',
    file: 'dashboard/src/messages/filter-bar.tsx',
    find: "useMay('templates:read')",
    replace: 'true',
    tests: scopes,
  },
  {
    name: 'the curl of a try has headers that are not known',
    file: 'dashboard/src/webhooks/snippets.ts',
    find: 'value === null || ',
    replace: '',
    tests: ['test/dashboard/snippets.test.ts'],
  },
  {
    name: 'the dashboard hides a gap in a list',
    file: 'dashboard/src/api/live-rows.ts',
    find: 'if (last === undefined) return fresh;',
    replace: '',
    tests: rows,
  },
  {
    name: 'the dashboard shows a row twice that moved',
    file: 'dashboard/src/api/live-rows.ts',
    find: 'slice(last + 1).filter((row) => !ids.has(idOf(row)))',
    replace: 'slice(last + 1)',
    tests: rows,
  },
  {
    name: 'a list of the dashboard grows for as long as the page is open',
    file: 'dashboard/src/api/live-rows.ts',
    find: 'if (rows.items.length <= keep) return rows;',
    replace: 'if (rows.items.length <= keep || keep > 0) return rows;',
    tests: rows,
  },
  {
    name: 'the dashboard forgets what a search found behind an empty page',
    file: 'dashboard/src/api/live-rows.ts',
    find: 'if (items.length === 0) return before;',
    replace: '',
    tests: rows,
  },
  {
    name: 'a held list of the dashboard moves',
    file: 'dashboard/src/api/live-rows.ts',
    find: 'if (!before || !isHeld || !isNew)',
    replace: 'if (!before || !isNew || isNew)',
    tests: rows,
  },
  {
    name: 'the dashboard puts a country code in front of numbers that have one',
    file: 'dashboard/src/sends/mapping.ts',
    find: "if (text.startsWith('+') || countryCode === '' || digits === '') return digits;",
    replace: "if (countryCode === '' || digits === '') return digits;",
    tests: recipients,
  },
  {
    name: 'the dashboard makes a number of what a spreadsheet shortened',
    file: 'dashboard/src/sends/mapping.ts',
    find: 'if (/\\p{L}/u.test(text)) return text;',
    replace: '',
    tests: recipients,
  },
  {
    name: 'the dashboard reads a file of another encoding as if it were UTF-8',
    file: 'dashboard/src/sends/source.ts',
    find: '{ fatal: true }',
    replace: '{ fatal: false }',
    tests: recipients,
  },
  {
    name: 'a fix of the dashboard changes rows with another problem',
    file: 'dashboard/src/sends/faults.ts',
    find: 'const key = `${kind} ${fault.column}`;',
    replace: 'const key = String(kind !== undefined);',
    tests: recipients,
  },
  {
    name: 'the editor submits a body that ends with a variable',
    file: 'dashboard/src/templates/editor/draft-rules.ts',
    find: "add('body', 'edges');",
    replace: '{}',
    tests: editor,
  },
  {
    name: 'the editor submits buttons with the same text',
    file: 'dashboard/src/templates/editor/draft-rules.ts',
    find: "add('buttons', 'labelTwice');",
    replace: '{}',
    tests: editor,
  },
  {
    name: 'a key of the dashboard does something while somebody types',
    file: 'dashboard/src/design/key-press.ts',
    find: "  if (isTyping && key !== 'Escape') return undefined;\n",
    replace: '',
    tests: keys,
  },
  {
    name: 'a key of the dashboard does something below a dialog',
    file: 'dashboard/src/design/key-press.ts',
    find: '  if (isDialogOpen) return undefined;\n',
    replace: '',
    tests: keys,
  },
  {
    name: 'a key of the dashboard takes the browser’s own with Ctrl',
    file: 'dashboard/src/design/key-press.ts',
    find: 'press.ctrlKey || ',
    replace: '',
    tests: keys,
  },
  {
    name: 'letter keys of the dashboard cannot be switched off',
    file: 'dashboard/src/design/key-press.ts',
    find: '  if (key.length === 1 && !areLettersOn) return undefined;\n',
    replace: '',
    tests: keys,
  },
  {
    name: 'a key that is held down pauses and resumes a campaign over and over',
    file: 'dashboard/src/design/key-press.ts',
    find: '  if (press.repeat && !isRepeated(key)) return undefined;\n',
    replace: '',
    tests: keys,
  },
  {
    name: 'a large campaign starts with a number that is not its own',
    file: 'dashboard/src/design/typed-number.ts',
    find: 'typedNumber(typed) === String(count)',
    replace: "typedNumber(typed) !== ''",
    tests: ['test/dashboard/typed-number.test.ts'],
  },
];
