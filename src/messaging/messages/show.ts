// Messages as lists and lookups return them: their rows, with the sends, resends and templates that they name.

import type { Db } from '../../db/db.ts';
import type { Caller } from '../../http/request.ts';
import type { FilledTemplate } from '../../ports/platform.ts';
import { type FindVersion, readVersions } from '../templates/versions-store.ts';
import { contentsOf, contentsOfReply, type MessageContents } from './contents.ts';
import { isErased } from './erased-content.ts';
import type { StoredReply } from './message.ts';
import { presentMessage } from './presenter.ts';
import { findResends } from './resends-store.ts';
import { findSendNames } from './sends-store.ts';
import type { ShownMessage } from './store.ts';

/** True if the caller may read what messages say. */
export const canReadContents = ({ scopes }: Pick<Caller, 'scopes'>): boolean =>
  scopes.has('conversations:read');

/** When the message was called, or failed without a call; null while it is queued. */
const calledAt = ({ accepted_at, sent_at, failed_at }: ShownMessage): Date | null =>
  accepted_at ?? sent_at ?? failed_at;

/** Presents messages of the caller's account as items of a list, in the order of `rows`. */
export async function showMessages(db: Db, caller: Reader, rows: readonly ShownMessage[]) {
  return (await withContents(db, caller, rows)).map(({ item }) => item);
}

/** The same, with the text of their parts. */
export async function showMessagesWithParts(db: Db, caller: Reader, rows: readonly ShownMessage[]) {
  const shown = await withContents(db, caller, rows);
  return shown.map(({ item, contents }) => ({ ...item, parts: contents?.parts ?? null }));
}

/** Presents one message of the caller's account, with the text of its parts. */
export async function showMessage(db: Db, caller: Reader, row: ShownMessage) {
  const [{ item, contents }] = (await withContents(db, caller, [row])) as [Shown];
  return { ...item, parts: contents?.parts ?? null };
}

type Reader = Pick<Caller, 'accountId' | 'scopes'>;

interface Shown {
  item: ReturnType<typeof presentMessage>;
  contents: MessageContents | undefined;
}

/**
 * Reads the sends, resends and templates of all messages together; templates only for a caller who may read contents.
 */
async function withContents(db: Db, caller: Reader, rows: readonly ShownMessage[]): Promise<Shown[]> {
  if (rows.length === 0) return [];
  const { accountId } = caller;
  const [resends, names, versionAt] = await Promise.all([
    findResends(
      db,
      accountId,
      rows.map((row) => row.id),
    ),
    findSendNames(
      db,
      accountId,
      rows.map((row) => row.send_id),
    ),
    canReadContents(caller)
      ? readVersions(
          db,
          accountId,
          rows.flatMap((row) =>
            row.template_id === null ? [] : { templateId: row.template_id, at: calledAt(row) },
          ),
        )
      : undefined,
  ]);
  return rows.map((row) => {
    const contents = versionAt && contentsIn(row, versionAt);
    const send = names.get(row.send_id ?? '');
    return { item: presentMessage(row, { resends, send, contents }), contents };
  });
}

/** Undefined if the person of the message was erased. */
function contentsIn(row: ShownMessage, versionAt: FindVersion): MessageContents | undefined {
  const { priority, template_id: templateId } = row;
  if (isErased(row)) return undefined;
  if (templateId === null) return contentsOfReply(row.content as unknown as StoredReply);
  const at = calledAt(row);
  const content = row.content as unknown as FilledTemplate;
  return contentsOf({ priority, content }, versionAt({ templateId, at }), at);
}
