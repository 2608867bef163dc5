// The state that the page shows for a message: some failures have a shape of their own. Pure.
import type { Message } from '../../../client/src/generated.ts';

/** The gateway's own error codes whose meaning is another than "failed". */
const ownStates: Record<number, string> = {
  900001: 'outcome_unknown',
  900002: 'expired',
  900003: 'cancelled',
  900005: 'opted_out',
};

/** The state of the gateway's own code; undefined for codes of the platform. */
export const stateOfCode = (code: number | null): string | undefined =>
  code === null ? undefined : ownStates[code];

export const stateOf = ({ status, error }: Pick<Message, 'status' | 'error'>): string =>
  (status === 'failed' && error && ownStates[error.code]) || status;
