// What becomes of each column, and of a row as a recipient of the API. Pure.
import type { Recipient, TemplateInput } from '../../../client/src/generated.ts';
import { contentOf, type Typed } from '../templates/values.ts';

/** Where a column goes: `phone`, `name`, an input's key, `metadata`; undefined: it is left out. */
export type Target = string | undefined;

export interface Mapping {
  /** By the column's position. */
  targets: Target[];
  /** Values that are the same for everybody, by the input's key. */
  shared: Typed;
  /** Digits in front of numbers that have no `+` or `00`; empty: none. */
  countryCode: string;
}

const words = (column: string): string => column.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
const phoneWords = /^(phone|mobile|cell|tel|whatsapp|msisdn|number|telefon|celular|telefono|telefone|movil)/;
const nameWords = /^(name|fullname|firstname|nombre|nome|vorname)/;

/** A cell that can only be a number: at least seven digits, written as people write them. */
export const looksLikePhone = (cell: string): boolean =>
  /^\s*\+?[\d\s().-]{7,}$/.test(cell) && /(?:\d\D*){7}/.test(cell);

/** The part of a column's cells that look like numbers if it has them: a few have faults. */
const phoneShare = 0.8;

/** The first column without a target whose cells look like numbers; -1: none. */
function phoneColumn(targets: readonly Target[], sample: readonly string[][]): number {
  return targets.findIndex((target, index) => {
    const cells = sample.map((row) => row[index] ?? '').filter((cell) => cell.trim() !== '');
    const fitting = cells.filter(looksLikePhone).length;
    return target === undefined && fitting > 0 && fitting >= cells.length * phoneShare;
  });
}

/** Guesses the targets from the names of the columns, and the numbers from the cells if no name says it; no target twice. */
export function guessTargets(
  columns: readonly string[],
  inputs: readonly TemplateInput[],
  sample: readonly string[][] = [],
): Target[] {
  const taken = new Set<string>();
  const take = (target: string | undefined): Target => {
    if (target === undefined || taken.has(target)) return undefined;
    taken.add(target);
    return target;
  };
  const targets = columns.map((column) => {
    const word = words(column);
    const input = inputs.find(({ key }) => key === column || key === `body.${column}` || words(key) === word);
    if (input) return take(input.key);
    if (phoneWords.test(word)) return take('phone');
    if (nameWords.test(word)) return take('name');
    if (/^metadata\../.test(column)) return take(column);
    return undefined;
  });
  if (taken.has('phone')) return targets;
  const at = phoneColumn(targets, sample);
  return targets.map((target, index) => (index === at ? 'phone' : target));
}

const separators = /[+.()[\]\u2212\p{Zs}\p{Pd}]/gu;

/** A number as the API takes it: `+91 98200-98200` and `0091 98200 98200` become `919820098200`. What is no number stays as it is. */
export function phoneOf(cell: string, countryCode: string): string {
  const text = cell.trim();
  if (/\p{L}/u.test(text)) return text;
  const digits = text.replace(separators, '');
  if (digits.startsWith('00')) return digits.slice(2);
  if (text.startsWith('+') || countryCode === '' || digits === '') return digits;
  return `${countryCode}${digits.replace(/^0/, '')}`;
}

/** The recipient of a row. Empty cells are left out, so that the API names what is missing. */
export function recipientOf(
  cells: readonly string[],
  { targets, shared, countryCode }: Mapping,
  { columns, inputs }: { columns: readonly string[]; inputs: readonly TemplateInput[] },
): Recipient {
  const typed: Typed = { ...shared };
  const metadata: Record<string, string> = {};
  let phone = '';
  let name: string | undefined;
  targets.forEach((target, index) => {
    const cell = cells[index] ?? '';
    if (target === undefined || cell === '') return;
    if (target === 'phone') phone = phoneOf(cell, countryCode);
    else if (target === 'name') name = cell;
    else if (target === 'metadata') metadata[columns[index] ?? ''] = cell;
    else if (target.startsWith('metadata.')) metadata[target.slice('metadata.'.length)] = cell;
    else typed[target] = cell;
  });
  return {
    phone,
    ...(name === undefined ? {} : { name }),
    ...contentOf(inputs, typed),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  };
}
