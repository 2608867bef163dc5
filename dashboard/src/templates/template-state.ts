// The states that the page shows for a template: the platform's own words where they say more than ours. Pure.
import type { Template } from '../../../client/src/generated.ts';

interface States {
  status: string;
  providerStatus: string | null;
}

const platformStates: Record<string, string> = {
  REJECTED: 'rejected',
  PAUSED: 'paused',
  DISABLED: 'disabled',
};

/** As in design/states.ts. */
export const stateOf = ({ status, providerStatus }: States): string =>
  platformStates[providerStatus ?? ''] ?? status;

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
