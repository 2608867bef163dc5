// Rows that were rejected: what is wrong with them, and the changes that fix all alike. Pure.
import type { RowProblem } from '../../../client/src/generated.ts';
import type { Mapping } from './mapping.ts';
import type { Row } from './source.ts';

export interface Fault {
  row: Row;
  /** The column of the field, if it has one. */
  column: number | undefined;
  path: string;
  message: string;
}

export interface Fix {
  kind: 'countryCode' | 'spaces' | 'value';
  /** How many rows it changes. */
  count: number;
  faults: Fault[];
}

/** The field of a problem as the mapping names it: `variables.body.1` is the input `body.1`, and so is `variables.1`. */
function columnOf(path: string, { targets }: Mapping): number | undefined {
  const field = path.replace(/^variables\./, '');
  const at = targets.findIndex((target) => target === field || target === `body.${field}`);
  return at === -1 ? undefined : at;
}

/** The first problem of each rejected row, in the order of the file. */
export function faultsOf(rows: readonly Row[], errors: readonly RowProblem[], mapping: Mapping): Fault[] {
  const seen = new Set<number>();
  return errors.flatMap(({ row: at, path, message }) => {
    const row = rows[at - 1];
    if (!row || seen.has(at)) return [];
    seen.add(at);
    return [{ row, path, message, column: columnOf(path, mapping) }];
  });
}

const cellOf = ({ row, column }: Fault): string => (column === undefined ? '' : (row.cells[column] ?? ''));

function kindOf(fault: Fault, { targets }: Mapping): Fix['kind'] | undefined {
  if (fault.column === undefined) return undefined;
  const cell = cellOf(fault);
  const isPhone = targets[fault.column] === 'phone';
  if (isPhone) return /^[\s+\d().-]+$/.test(cell) && !cell.trim().startsWith('+') ? 'countryCode' : undefined;
  if (cell === '') return 'value';
  return /[\n\r\t]| {5}/.test(cell) ? 'spaces' : undefined;
}

/** What can be done for several rows together. */
export function fixesOf(faults: readonly Fault[], mapping: Mapping): Map<Fault, Fix> {
  const fixes = new Map<string, Fix>();
  const byFault = new Map<Fault, Fix>();
  for (const fault of faults) {
    const kind = kindOf(fault, mapping);
    if (!kind) continue;
    const key = `${kind} ${fault.column}`;
    const fix = fixes.get(key) ?? { kind, count: 0, faults: [] };
    fixes.set(key, fix);
    fix.count += 1;
    fix.faults.push(fault);
    byFault.set(fault, fix);
  }
  return byFault;
}

const changed = (fault: Fault, change: (cell: string) => string): Row => ({
  ...fault.row,
  cells: fault.row.cells.map((cell, index) => (index === fault.column ? change(cell) : cell)),
});

/** The rows of a fix as they are added again. `typed`: the country code, or the value for those that have none. */
export function fixed({ kind, faults }: Fix, typed: string): Row[] {
  switch (kind) {
    case 'spaces':
      return faults.map((fault) =>
        changed(fault, (cell) => cell.replace(/[\n\r\t]+/g, ' ').replace(/ {2,}/g, ' ')),
      );
    case 'value':
      return faults.map((fault) => changed(fault, () => typed));
    case 'countryCode':
      return faults.map((fault) =>
        changed(fault, (cell) => `+${typed}${cell.replace(/\D/g, '').replace(/^0+/, '')}`),
      );
  }
}
