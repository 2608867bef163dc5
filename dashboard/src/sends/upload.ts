// Adding the rows of a source to a draft, in portions, with what became of them.
import type { AddedRecipients, Recipient } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { type Fault, faultsOf } from './faults.ts';
import type { Mapping } from './mapping.ts';
import type { Row } from './source.ts';

/** What became of the rows so far. */
export interface Outcome {
  /** Rows that the API has answered for. */
  rows: number;
  added: number;
  duplicates: number;
  optedOut: number;
  rejected: number;
  /** Of the first `faultsMax` rejected rows. */
  faults: Fault[];
}

export const noRows: Outcome = { rows: 0, added: 0, duplicates: 0, optedOut: 0, rejected: 0, faults: [] };

/** The API takes so many recipients in one request. */
const portionRows = 1_000;
/** Rejected rows that are kept to be shown and fixed. */
const faultsMax = 5_000;

const sum = (before: Outcome, answer: AddedRecipients, rows: Row[], faults: Fault[]): Outcome => ({
  rows: before.rows + rows.length,
  added: before.added + answer.added,
  duplicates: before.duplicates + answer.duplicates,
  optedOut: before.optedOut + answer.optedOut,
  rejected: before.rejected + answer.rejected,
  faults: [...before.faults, ...faults].slice(0, faultsMax),
});

interface Upload {
  sendId: string;
  mapping: Mapping;
  recipientOf: (row: Row) => Recipient;
  /** Ends the upload between two portions. */
  signal?: AbortSignal;
  onProgress: (outcome: Outcome) => void;
}

/** Adds rows to the draft, 1,000 at a time, in order. Throws what a request throws: portions before it stay. */
export async function addRows(
  pieces: AsyncIterable<Row[]> | Iterable<Row[]>,
  { sendId, mapping, recipientOf, signal, onProgress }: Upload,
  before: Outcome = noRows,
): Promise<Outcome> {
  let outcome = before;
  let waiting: Row[] = [];
  const add = async (rows: Row[]) => {
    signal?.throwIfAborted();
    const answer = await api.addRecipients({ sendId, body: { recipients: rows.map(recipientOf) } });
    outcome = sum(outcome, answer, rows, faultsOf(rows, answer.errors, mapping));
    onProgress(outcome);
  };
  for await (const piece of pieces) {
    waiting = waiting.concat(piece);
    while (waiting.length >= portionRows) {
      await add(waiting.slice(0, portionRows));
      waiting = waiting.slice(portionRows);
    }
  }
  if (waiting.length > 0) await add(waiting);
  return outcome;
}
