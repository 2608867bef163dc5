// The filter of the audit log, as its address has it. Pure.
import { addDays, instantOf, isDate } from '../text/civil.ts';
import { type Action, actions } from './actions.ts';

export interface AuditFilter {
  action?: Action;
  subjectId?: string;
  /** Civil dates of the viewer's zone, both included. */
  from?: string;
  to?: string;
}

export function filterOf({ action, subjectId, from, to }: Record<string, unknown>): AuditFilter {
  const known = actions.find((one) => one === action);
  return {
    ...(known ? { action: known } : {}),
    ...(typeof subjectId === 'string' && subjectId !== '' ? { subjectId } : {}),
    ...(isDate(from) ? { from } : {}),
    ...(isDate(to) ? { to } : {}),
  };
}

/** The filter as the API takes it. */
export const queryOf = ({ from, to, ...rest }: AuditFilter, zone: string) => ({
  ...rest,
  ...(from ? { from: instantOf(from, 0, zone).toISOString() } : {}),
  ...(to ? { to: instantOf(addDays(to, 1), 0, zone).toISOString() } : {}),
});

/** A changed value in a few words. */
export function valueText(value: unknown): string {
  if (value === null) return '–';
  if (Array.isArray(value)) return value.map(valueText).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
