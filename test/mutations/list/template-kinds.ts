// Mutations of the kinds of templates: their inputs, previews and content.
import type { Mutation } from '../mutation.ts';

export const mutations: Mutation[] = [
  {
    name: 'an encoded value of a URL button is encoded again',
    file: 'src/base/url-value.ts',
    find: '%(?![0-9A-Fa-f]{2})|',
    replace: '%|',
    tests: ['test/rules/template-preview.test.ts'],
  },
  {
    name: 'a preview hides what is missing',
    file: 'src/messaging/templates/render.ts',
    find: 'const isEncoded = value !== undefined && value !== `{{${token}}}`;',
    replace: 'const isEncoded = value !== undefined;',
    tests: ['test/rules/template-preview.test.ts'],
  },
];
