// The upload of a draft's recipients as the page shows it: what runs, what became of the rows, and the rows that are fixed.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { TemplateInput } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { type Fix, fixed } from './faults.ts';
import { type Mapping, recipientOf } from './mapping.ts';
import { type Row, rowsOf, type Source } from './source.ts';
import { addRows, noRows, type Outcome } from './upload.ts';

export interface Upload {
  /** Undefined: nothing was added from this source. */
  outcome: Outcome | undefined;
  isRunning: boolean;
  error: unknown;
  /** Empties the draft and adds every row of the source. */
  run: (source: Source, mapping: Mapping) => void;
  /** Adds the rows of a fix again. */
  fix: (fix: Fix, typed: string, source: Source, mapping: Mapping) => void;
  /** Forgets what was added, when another source is chosen. */
  forget: () => void;
}

export function useUpload(sendId: string, inputs: readonly TemplateInput[]): Upload {
  const queries = useQueryClient();
  const [outcome, setOutcome] = useState<Outcome>();
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<unknown>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  async function guarded(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const controller = new AbortController();
    running.current = controller;
    setError(undefined);
    setRunning(true);
    try {
      await work(controller.signal);
    } catch (cause) {
      if (!controller.signal.aborted) setError(cause);
    } finally {
      setRunning(false);
      void queries.invalidateQueries({ queryKey: ['sends', 'one', sendId] });
    }
  }
  const addOf = ({ columns }: Source, mapping: Mapping, signal: AbortSignal) => ({
    sendId,
    mapping,
    signal,
    recipientOf: ({ cells }: Row) => recipientOf(cells, mapping, { columns, inputs }),
    onProgress: setOutcome,
  });

  return {
    outcome,
    isRunning,
    error,
    run: (source, mapping) =>
      void guarded(async (signal) => {
        await api.emptySend({ sendId });
        setOutcome(noRows);
        await addRows(rowsOf(source), addOf(source, mapping, signal));
      }),
    fix: (fix, typed, source, mapping) =>
      void guarded(async (signal) => {
        if (!outcome) return;
        const rows = fixed(fix, typed);
        const others = outcome.faults.filter((fault) => !fix.faults.includes(fault));
        const before = {
          ...outcome,
          rows: outcome.rows - rows.length,
          rejected: outcome.rejected - rows.length,
          faults: others,
        };
        await addRows([rows], addOf(source, mapping, signal), before);
      }),
    forget: () => {
      running.current?.abort();
      setOutcome(undefined);
      setError(undefined);
    },
  };
}
