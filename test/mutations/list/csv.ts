// Mutations of CSV files: formulas, and the limits of rows.
import type { Mutation } from '../mutation.ts';

export const mutations: Mutation[] = [
  {
    name: 'an imported cell keeps the sign that escapes a formula',
    file: 'src/http/csv-cells.ts',
    find: "cell.replace(escaped, '') : cell",
    replace: 'cell : cell',
    tests: ['test/api/send-recipients.test.ts'],
  },
  {
    name: 'an exported cell can be a formula',
    file: 'src/http/csv-cells.ts',
    find: 'text.replace(risky, "\'")',
    replace: 'text',
    tests: ['test/api/exports.test.ts'],
  },
  {
    name: 'a part of a cell after a semicolon can be a formula',
    file: 'src/http/csv-cells.ts',
    find: '(?<=^|[;\\\\r\\\\n])',
    replace: '(?<=^)',
    tests: ['test/api/exports.test.ts'],
  },
  {
    name: 'a row of CSV has any number of empty cells',
    file: 'src/http/csv-records.ts',
    find: 'if (characters > recordMaxCharacters)',
    replace: 'if (characters < 0)',
    tests: ['test/rules/csv-records.test.ts'],
  },
];
