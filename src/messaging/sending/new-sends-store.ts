// New sends: inserts sends of many requests with their messages, keys and counts in one statement.
import { sql } from 'kysely';
import type { Actor } from '../../audit/actor.ts';
import { arrayText, textArray } from '../../db/array-text.ts';
import type { Db, Tx } from '../../db/db.ts';
import { isGatewayHeld } from '../../db/gateway-state.ts';
import { insertKeysOf } from '../../db/idempotency-keys.ts';
import { jsonLines } from '../../db/json-lines.ts';
import type { FilledTemplate } from '../../ports/platform.ts';
import { paceWindowsMs } from '../dispatch/pacer.ts';
import { reserveSlotsOf } from '../dispatch/paces-store.ts';
import { isReadyFile } from '../media/store.ts';
import { insertSendCounts } from '../messages/counts-store.ts';
import { begunByInsert } from '../messages/leased-by.ts';
import { isHeld, isOptedOut, messageLease, stateSql } from '../messages/sql-store.ts';
import { ownProviderStatus } from '../templates/status.ts';
import { isStillChosen } from './resolve-template-store.ts';

export interface NewSend {
  accountId: string;
  id: string;
  senderId: string;
  templateId: string;
  templateName: string;
  language: string;
  total: number;
  /** When the components last changed, as the recipients were checked against them. */
  templateChangedAt?: Date | null;
  /** If its template and sender were read for an earlier send: their versions. It is stored only if both are still the same. */
  readAs?: { template: string; sender: string | null; namesSender: boolean } | undefined;
  name?: string | undefined;
  /** True if the list of sends shows it without being asked for all. */
  listed?: boolean;
  /** Who made it. */
  createdBy?: SendCreator | undefined;
}

/** Who made a send. */
export type SendCreator = Pick<Actor, 'kind' | 'id' | 'name'>;

export interface NewMessage {
  id: string;
  phone: string;
  name: string | null;
  content: FilledTemplate;
  mediaId: string | null;
  metadata: Record<string, string> | null;
  /**
   * How the message is dispatched. `queued`: by any process that claims it. `leased`: by this process, within 60 s.
   * `dispatching`: by this process right after the commit, if the sender has a slot within some milliseconds; the insert also does the
   * work of `beginDispatch`. Without a slot it is leased.
   */
  dispatchMode: 'queued' | 'leased' | 'dispatching';
}

/** A send with all that is stored with it, or not at all. */
export interface CompleteSend {
  send: NewSend;
  messages: readonly NewMessage[];
  priority: number;
  expiresInSeconds: number;
  /** The public ids of the files that its messages need, each once. */
  mediaIds?: readonly string[];
  key?:
    | {
        key: string;
        operation: string;
        fingerprint: Buffer;
        leaseSeconds: number;
        answeredBy?: string | null;
      }
    | undefined;
}

/** A stored send. */
export interface InsertedSend {
  /** False if the sender was halted or the template held in the meantime; then every message is queued. */
  isOpen: boolean;
  /** The lease of the leased and dispatching messages; null if there are none. */
  lease: string | null;
  /** The ids of the messages that are dispatching. */
  dispatching: ReadonlySet<string>;
  /** The slots of its sender that it got; more than it has dispatching messages if people opted out. */
  slots: number;
  /** The milliseconds until the first of these slots. */
  firstInMs: number;
  /** Messages to people who opted out, which are queued and never called: to be failed. */
  optedOut: string[];
}

/** What to do about a sender, template or file that is locked for its removal: wait for the outcome, or insert nothing. */
export type IfLocked = 'wait' | 'skip';

/**
 * Inserts sends with their messages, keys and counts in one statement; their keys must differ. Locks each sender and file
 * against removal and each template against deletion. Returns for each send, in order, what was stored: undefined, and nothing
 * of it is, if one of these is gone (or locked, if `skip`), the template is being deleted or has changed, or an active row has the key.
 */
export async function insertSends(
  db: Db | Tx,
  sends: readonly CompleteSend[],
  { processId, ifLocked }: { processId: number; ifLocked: IfLocked },
): Promise<(InsertedSend | undefined)[]> {
  const messages = sends.flatMap((one) => one.messages);
  const skip = ifLocked === 'skip' ? sql`skip locked` : sql``;
  const hasKeys = sends.some(({ key }) => key !== undefined);
  const ranks = callRanks(sends);
  const hasCalls = ranks.some((rank) => rank !== null);
  const hasFiles = sends.some(({ mediaIds = [] }) => mediaIds.length > 0);
  const withFiles = sql`
      cross join lateral (select count(*) as n from (
        select from unnest(a.files) f(public_id) join media m on m.account_id = a.account_id and m.public_id = f.public_id and ${isReadyFile(sql`m`)}
        for share of m ${skip}) locked) f
      where f.n = cardinality(a.files) and ${isStillChosen}`;
  const withKeys = sql`, keys as (${insertKeysOf(sql`ready`, processId)}),
    chosen as (select * from ready r where key is null or exists (select from keys k where k.subject_id = r.id))`;
  const withSlots = sql`, slots as (${reserveSlotsOf(
    sql`(select sender_id as id, sum(calls)::int as wanted from chosen where is_open and calls > 0 group by sender_id order by sender_id)`,
    paceWindowsMs.call,
  )})`;
  // the slots of a sender come in the order of its sends; one that is not stored or not open takes none
  const isRanked = hasCalls && sends.length > 1;
  const ranked = sql`, ranked as (select *, (sum(case when is_open then calls else 0 end) over (partition by sender_id order by first)
      - case when is_open then calls else 0 end)::int as calls_before from chosen)`;
  const stored = isRanked ? sql`ranked` : sql`(select *, 0 as calls_before from chosen)`;
  const { rows } = await sql<{
    id: string;
    is_open: boolean;
    lease: string | null;
    opted_out: string[] | null;
    dispatching: string[] | null;
    slots: number;
    first_in_ms: number;
  }>`
    /* insertSends */ with asked as (
      select * from json_to_recordset(${askedJson(sends)}::json) a(account_id uuid, id uuid, sender_id uuid, template_id uuid, template_name text,
        language text, total int, changed_at timestamptz, name text, listed boolean, priority smallint, expires_in int, first int, last int,
        files text[], calls int, template_version text, sender_version text, names_sender boolean, operation text, key uuid, fingerprint bytea, lease_seconds int, answered_by uuid, created_by jsonb)),
    ${hasKeys ? sql`ready` : sql`chosen`} as (
      select a.*, not s.is_halted and not t.is_held and not ${isGatewayHeld} as is_open from asked a
      cross join lateral (select halted_at is not null as is_halted from senders where id = a.sender_id
        and (a.sender_version is null or xmin::text = a.sender_version) for key share ${skip}) s
      cross join lateral (select ${isHeld(sql`templates`)} as is_held, business_account_id from templates where id = a.template_id
        and provider_status is distinct from ${ownProviderStatus.pendingDeletion}
        and components_changed_at is not distinct from a.changed_at
        and (a.template_version is null or xmin::text = a.template_version) for key share ${skip}) t${
          hasFiles
            ? withFiles
            : sql`
      where ${isStillChosen}`
        })${hasKeys ? withKeys : sql``}${hasCalls ? withSlots : sql``}${isRanked ? ranked : sql``},
    s as (
      insert into sends (account_id, id, sender_id, template_id, template_name, language, total, name, listed, priority, started_at,
        expires_in, expires_at, created_by)
      select account_id, id, sender_id, template_id, template_name, language, total, name, listed, priority, now(), expires_in,
        now() + expires_in * interval '1 second', created_by from chosen),
    written as (
      insert into messages (account_id, id, send_id, sender_id, template_id, phone, name, content, media_id, metadata,
        position, priority, state, attempts, due_at, leased_by, expires_at)
      select s.account_id, x.id, s.id, s.sender_id, s.template_id, x.phone, x.name, x.content, x.media_id,
        x.metadata, x.no - s.first, s.priority,
        case when is_called then ${stateSql.dispatching} else ${stateSql.queued} end, is_called::int,
        now() + case when x.leased and may_call then ${messageLease} else interval '0' end, case when is_called then ${begunByInsert(processId)}::int when not is_unwanted then ${processId}::int end,
        now() + s.expires_in * interval '1 second'
      from unnest(${arrayText(messages.map((one) => one.id))}::uuid[], ${textArray(messages.map((one) => one.phone))}::text[],
        ${textArray(messages.map((one) => one.name))}::text[], ${jsonLines(messages.map((one) => JSON.stringify(one.content)))}::jsonb[],
        ${arrayText(messages.map((one) => one.mediaId))}::uuid[],
        ${jsonLines(messages.map((one) => one.metadata && JSON.stringify(one.metadata)))}::jsonb[],
        ${arrayText(messages.map((one) => one.dispatchMode !== 'queued'))}::boolean[],
        ${arrayText(ranks)}::int[])
        with ordinality x(id, phone, name, content, media_id, metadata, leased, rank, no)
        join ${stored} s on x.no between s.first and s.last
        cross join lateral (select s.calls_before + x.rank <= (select granted from ${hasCalls ? sql`slots` : noSlots} p where p.sender_id = s.sender_id) is true as has_slot) c
        cross join lateral (select ${isOptedOut(sql`s.account_id`, sql`x.phone`, sql`s.priority`)} as is_unwanted offset 0) o
        cross join lateral (select is_open and not is_unwanted as may_call, is_open and not is_unwanted and has_slot as is_called) g
      returning send_id, id, state, due_at, leased_by),
    counted as (${insertSendCounts(sends.length)})
    select c.id, c.is_open, (max(due_at) filter (where due_at > now()))::text as lease,
      jsonb_agg(w.id) filter (where leased_by is null) as opted_out, jsonb_agg(w.id) filter (where state = ${stateSql.dispatching}) as dispatching,
      case when is_open then greatest(0, least(calls, coalesce(max(p.granted), 0) - calls_before)) else 0 end as slots,
      coalesce(max(p.first_in_ms + calls_before * p.interval_ms), 0)::float8 as first_in_ms
    from written w join ${stored} c on c.id = w.send_id left join ${hasCalls ? sql`slots` : noSlots} p on p.sender_id = c.sender_id
    group by c.id, c.is_open, c.calls, c.calls_before`.execute(db);
  const inserted = new Map(rows.map((row) => [row.id, row]));
  return sends.map(({ send }) => {
    const row = inserted.get(send.id);
    if (!row) return undefined;
    const { is_open: isOpen, lease, slots, first_in_ms: firstInMs } = row;
    return {
      isOpen,
      lease,
      slots,
      firstInMs,
      optedOut: row.opted_out ?? [],
      dispatching: new Set(row.dispatching),
    };
  });
}

const noSlots = sql`(select null::uuid as sender_id, 0 as granted, 0 as first_in_ms, 0 as interval_ms where false)`;

/** The rank of each message among those of its send that need a slot, from 1; null: it needs none. */
function callRanks(sends: readonly CompleteSend[]): (number | null)[] {
  return sends.flatMap(({ messages }) => {
    let last = 0;
    return messages.map(({ dispatchMode }) => (dispatchMode === 'dispatching' ? ++last : null));
  });
}

/** The rows of `asked`, each with the numbers of its first and last message, from 1. */
function askedJson(sends: readonly CompleteSend[]): string {
  let last = 0;
  const rows = sends.map(({ send, messages, priority, expiresInSeconds, mediaIds = [], key }) => {
    const first = last + 1;
    last += messages.length;
    return {
      account_id: send.accountId,
      id: send.id,
      sender_id: send.senderId,
      template_id: send.templateId,
      template_name: send.templateName,
      language: send.language,
      total: send.total,
      changed_at: send.templateChangedAt,
      name: send.name,
      listed: send.listed ?? false,
      created_by: send.createdBy,
      priority,
      expires_in: expiresInSeconds,
      first,
      last,
      template_version: send.readAs?.template,
      sender_version: send.readAs?.sender,
      names_sender: send.readAs?.namesSender,
      calls: messages.filter(({ dispatchMode }) => dispatchMode === 'dispatching').length,
      files: mediaIds,
      ...(key && {
        operation: key.operation,
        key: key.key,
        fingerprint: `\\x${key.fingerprint.toString('hex')}`,
        lease_seconds: key.leaseSeconds,
        answered_by: key.answeredBy,
      }),
    };
  });
  return JSON.stringify(rows);
}
