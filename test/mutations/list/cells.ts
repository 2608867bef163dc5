// Mutations of cells and of partitions by day.
import type { Mutation } from '../mutation.ts';

const form = ['test/rules/api-key.test.ts'];
const cells = ['test/journeys/cells.long.test.ts'];
const partitions = ['test/db/partitions.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'a new key does not name its cell',
    file: 'src/accounts/key.ts',
    find: "${cell === null ? '' : `${cell}_`}",
    replace: '',
    tests: form,
  },
  {
    name: 'keys from before there were cells are rejected',
    file: 'src/accounts/key.ts',
    find: '(?:${cellPattern}_)?',
    replace: '${cellPattern}_',
    tests: form,
  },
  {
    name: 'requests of a cell’s key go to another cell',
    file: 'ops/nginx/cells.conf',
    find: '"~^cgw_eu2_" cell_eu2;',
    replace: '"~^cgw_eu2_" cell_eu1;',
    tests: cells,
  },
  {
    name: 'the address of a cell is routed by key',
    file: 'ops/nginx/cells.conf',
    find: '    eu2.gateway.example.com cell_eu2;\n',
    replace: '',
    tests: cells,
  },
  {
    name: 'keys that requests create do not name the cell',
    file: 'src/parts.ts',
    find: '    cell: config.cell,\n',
    replace: '',
    tests: cells,
  },
  {
    name: 'partitions by day are not created',
    file: 'src/db/partitions.ts',
    find: "const make = by === 'month' ?",
    replace: "const make = by !== 'year' ?",
    tests: partitions,
  },
];
