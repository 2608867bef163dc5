// A finding of "doctor": what was checked, what was found, and how to fix it. Pure.

export interface Finding {
  /** What was checked. */
  check: string;
  /** `ok`; `note`: somebody should look at it; `failed`: something does not work. */
  status: 'ok' | 'note' | 'failed';
  text: string;
  /** What to do; null if there is nothing to do. */
  fix: string | null;
}

/** What a check returns; a failed one throws `CheckError`. */
export type Found = Omit<Finding, 'check'>;

/** Nothing to do. */
export const ok = (text: string): Found => ({ status: 'ok', text, fix: null });

/** Something that somebody should look at. */
export const note = (text: string, fix: string): Found => ({ status: 'note', text, fix });

/** Something that does not work. */
export const failed = (text: string, fix: string): Found => ({ status: 'failed', text, fix });

const marks = { ok: 'ok  ', note: 'note', failed: 'FAIL' } as const;

/** The finding as lines for a terminal, without the last line break. */
export function findingText({ check, status, text, fix }: Finding): string {
  const lines = `${marks[status]}  ${check}: ${text.replaceAll('\n', '\n      ')}`;
  return fix === null ? lines : `${lines}\n      Fix: ${fix}`;
}

/** Whether nothing failed. */
export const isHealthy = (findings: readonly Finding[]): boolean =>
  findings.every(({ status }) => status !== 'failed');
