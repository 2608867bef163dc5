// The database steps of a send that concurrent requests share: what arrives while a statement runs is in the next one.
import { openCache } from '../../base/cache.ts';
import type { Clock } from '../../base/clock.ts';
import type { Metrics } from '../../base/metrics.ts';
import type { Db } from '../../db/db.ts';
import { isUnavailable } from '../../db/failure.ts';
import {
  findKeys,
  type IdempotencyKeyRow,
  type KeyOf,
  type KeyResponse,
  recordKeyResponses,
} from '../../db/idempotency-keys.ts';
import { type BatchOptions, batch } from '../../work/batch.ts';
import { type FilesAsked, findReadyFiles, type ReadyMedia } from '../media/store.ts';
import { type CompleteSend, type InsertedSend, insertSends } from './new-sends-store.ts';
import {
  findTemplatesWithSenders,
  nameOf,
  type ResolvedTemplate,
  type TemplateAsked,
} from './resolve-template-store.ts';

export interface SendSteps {
  /** The row of an Idempotency-Key, read after this call began. */
  findKey(of: KeyOf): Promise<IdempotencyKeyRow | undefined>;
  findTemplate(asked: TemplateAsked): Promise<ResolvedTemplate | undefined>;
  /**
   * What `findTemplate` last found for such a request, if a send could use it. It may have changed since: `store` compares the versions
   * of the send's `readAs`.
   */
  knownTemplate(asked: TemplateAsked): ResolvedTemplate | undefined;
  findFiles(asked: FilesAsked): Promise<ReadyMedia[]>;
  /** As `findFiles`, with files that were found lately. They never change, but may be gone: `store` checks that. */
  knownFiles(asked: FilesAsked): Promise<ReadyMedia[]>;
  /**
   * Stores a send and all that belongs to it. Undefined, and nothing of it is stored, for the reasons that `insertSends` names.
   * Rejects if it is unknown whether it was stored.
   */
  store(send: CompleteSend): Promise<InsertedSend | undefined>;
  /** Stores the response for repeats of a send's key, and returns it; an earlier one stays, and is returned. */
  recordResponse(response: KeyResponse): Promise<KeyResponse>;
}

/** More messages than this are stored alone: a large send would delay the small ones, and gains nothing from them. */
export const smallMax = 10;
/** Content of one send that counts as much as a message. */
const charactersPerMessage = 8_192;
const sharedStatement = { sends: 64, messages: 128 };
/** Templates that a process remembers, each with a sender. */
const knownMax = 1_000;
const knownFilesMax = 10_000;
/** A read records that a file is used, once a day. */
const filesKnownForMs = 300_000;

/** What a send takes of a statement, in messages. */
function weightOf({ messages }: CompleteSend): number {
  let characters = 0;
  for (const { content, metadata } of messages)
    characters += JSON.stringify(content).length + (metadata ? JSON.stringify(metadata).length : 0);
  return messages.length + characters / charactersPerMessage;
}

export interface SendStepsDeps {
  hot: Db;
  clock: Clock;
  processId: number;
  metrics: Pick<Metrics, 'batchItems'>;
}

/** Opens the steps for one process. */
export function openSendSteps({ hot, clock, processId, metrics }: SendStepsDeps): SendSteps {
  const shared: Pick<BatchOptions<never>, 'gapMs' | 'max'> = { gapMs: 0, max: sharedStatement.sends };
  const storeShared = batch<WeighedSend, Stored>((sends) => storeTogether(hot, processId, sends), {
    ...shared,
    weight: { of: ({ weight }) => weight, max: sharedStatement.messages },
    onRun: (sends) => metrics.batchItems.observe({ batch: 'sends' }, sends),
  });
  const readTemplate = batch((asked: TemplateAsked[]) => findTemplatesWithSenders(hot, asked), shared);
  const known = openCache<ResolvedTemplate>({ max: knownMax });
  const findFiles = batch((asked: FilesAsked[]) => findReadyFiles(hot, asked), shared);
  const files = openCache<ReadyMedia>({ max: knownFilesMax, lifetime: { ms: filesKnownForMs, clock } });
  return {
    findKey: batch((of: KeyOf[]) => findKeys(hot, of), shared),
    async findTemplate(asked) {
      const found = await readTemplate(asked);
      if (found?.sender && !found.hasErased && found.template.status === 'approved')
        known.set(nameOf(asked), found);
      else known.delete(nameOf(asked));
      return found;
    },
    knownTemplate: (asked) => known.get(nameOf(asked)),
    findFiles,
    async knownFiles(asked) {
      const fileName = (publicId: string | null) => `${asked.accountId} ${publicId}`;
      const found = asked.publicIds.flatMap((publicId) => files.get(fileName(publicId)) ?? []);
      if (found.length === asked.publicIds.length) return found;
      const read = await findFiles(asked);
      for (const one of read) files.set(fileName(one.public_id), one);
      return read;
    },
    async store(send) {
      if (send.messages.length <= smallMax) {
        const stored = await storeShared({ ...send, weight: weightOf(send) });
        if ('lost' in stored) throw stored.lost;
        // what changed is read again, which takes longer than the lock of a removal
        if (stored.send || send.send.readAs) return stored.send;
      }
      // a large send; or what it needs is locked or gone, and only this one waits to find out
      return (await insertSends(hot, [send], { processId, ifLocked: 'wait' }))[0];
    },
    recordResponse: batch((responses: KeyResponse[]) => recordKeyResponses(hot, responses), {
      ...shared,
      key: ({ subjectId }) => subjectId,
    }),
  };
}

type WeighedSend = CompleteSend & { weight: number };

/** What became of a send in a shared statement. `lost`: the error of a statement whose result is unknown. */
type Stored = { send: InsertedSend | undefined } | { lost: unknown };

/** Stores sends of many requests. Of those with the same key, it stores the first. */
async function storeTogether(db: Db, processId: number, sends: readonly CompleteSend[]): Promise<Stored[]> {
  const keys = new Map<string, CompleteSend>();
  for (const one of sends) if (one.key && !keys.has(keyName(one))) keys.set(keyName(one), one);
  const first = sends.filter((one) => !one.key || keys.get(keyName(one)) === one);
  try {
    const inserted = await insertSends(db, first, { processId, ifLocked: 'skip' });
    const results = new Map(first.map((one, index) => [one, inserted[index]]));
    return sends.map((one) => ({ send: results.get(one) }));
  } catch (error) {
    // repeated one by one, a send that was stored after all would look like another one with its key
    if (isUnavailable(error)) return sends.map(() => ({ lost: error }));
    throw error;
  }
}

const keyName = ({ send, key }: CompleteSend) => `${send.accountId} ${key?.operation} ${key?.key}`;
