// The states that the page shows for a template: the platform's own words where they say more than ours. Pure.
import type { Template } from '../../../client/src/generated.ts';

type States = Pick<Template, 'status' | 'providerStatus'>;

const platformStates: Record<string, string> = {
  REJECTED: 'rejected',
  PAUSED: 'paused',
  DISABLED: 'disabled',
};

/** As in design/states.ts. */
export const stateOf = ({ status, providerStatus }: States): string =>
  platformStates[providerStatus ?? ''] ?? status;

/** The platform's quality rating as a state and its word's key; undefined: not rated. */
export const qualityOf = (
  score: string | null,
): { state: string; key: 'high' | 'medium' | 'low' } | undefined => {
  switch (score) {
    case 'GREEN':
      return { state: 'ok', key: 'high' };
    case 'YELLOW':
      return { state: 'warning', key: 'medium' };
    case 'RED':
      return { state: 'halted', key: 'low' };
    default:
      return undefined;
  }
};

/** The text of the body, with its placeholders. */
export function bodyOf({ components }: Pick<Template, 'components'>): string {
  const body = components.find(({ type }) => type?.toUpperCase() === 'BODY');
  return typeof body?.text === 'string' ? body.text : '';
}

/** A text in pieces: plain ones, and placeholders without their braces. */
export const piecesOf = (text: string): { text: string; isPlaceholder: boolean; at: number }[] =>
  [...text.matchAll(/\{\{\s*([\w.]+)\s*\}\}|[^{]+|\{/g)].map((match) => ({
    text: match[1] ?? match[0],
    isPlaceholder: match[1] !== undefined,
    at: match.index,
  }));
