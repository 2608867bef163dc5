// Mutations of sends as resources: pausing, scheduling, feeding.
import type { Mutation } from '../mutation.ts';

const feeds = 'src/messaging/campaigns/feeds-store.ts';
const state = 'src/messaging/campaigns/state.ts';
const conditions = 'src/messaging/messages/sql-store.ts';
const act = 'src/messaging/campaigns/act.ts';
const lease = 'src/messaging/campaigns/lease.ts';
const recipients = 'src/messaging/campaigns/recipients-store.ts';
const drafts = ['test/api/drafts.test.ts'];
const uploads = ['test/api/send-recipients.test.ts'];
const steps = ['test/db/send-feeds.test.ts'];
const api = ['test/api/sends.test.ts'];
const table = ['test/rules/send-state.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'the recipients of a campaign begin with the oldest message of the account',
    file: 'src/messaging/campaigns/recipients-list-store.ts',
    find: 'send.first_recipient_id ?? nilUuid',
    replace: 'nilUuid',
    tests: ['test/api/send-recipients.test.ts'],
  },
  {
    name: 'a second batch of recipients hides the first in the list',
    file: 'src/messaging/campaigns/recipients-store.ts',
    find: 'least(s.first_recipient_id, ${messages[0]?.id ?? null}::uuid)',
    replace: '${messages[0]?.id ?? null}::uuid',
    tests: ['test/api/send-recipients.test.ts'],
  },
  {
    name: 'messages of a paused send begin their dispatch',
    file: conditions,
    find: ' or c.paused_at is not null',
    replace: '',
    tests: steps,
  },
  {
    name: 'queued messages of a send that resumes at its time begin their dispatch',
    file: conditions,
    find: ' or c.stage = ${sendStageSql.scheduled}',
    replace: '',
    tests: steps,
  },
  {
    name: 'queued messages of a send that resumes at its time stay in the queue',
    file: feeds,
    find: '(s.paused_at is not null or s.stage = ${sendStageSql.scheduled})',
    replace: 's.paused_at is not null',
    tests: steps,
  },
  {
    name: 'a paused send whose time is removed never expires',
    file: 'src/messaging/campaigns/transitions-store.ts',
    find: 'expires_at = coalesce(expires_at, now() + ${timeToLive})',
    replace: 'expires_at = expires_at',
    tests: ['test/api/drafts.test.ts'],
  },
  {
    name: 'claimed messages of a paused send are offered',
    file: 'src/messaging/dispatch/claims-store.ts',
    find: 's.paused_at is not null or s.stage = ${sendStageSql.scheduled} paused',
    replace: 'false paused',
    tests: steps,
  },
  {
    name: 'a paused send is fed',
    file: feeds,
    find: 'and s.paused_at is null and s.cancelled_at is null and s.expires_at > now() for share`',
    replace: 'and s.cancelled_at is null and s.expires_at > now() for share`',
    tests: steps,
  },
  {
    name: 'a cancelled send is fed',
    file: feeds,
    find: 'and s.paused_at is null and s.cancelled_at is null and s.expires_at > now() for share`',
    replace: 'and s.paused_at is null and s.expires_at > now() for share`',
    tests: steps,
  },
  {
    name: 'an expired send is fed',
    file: feeds,
    find: 'and s.paused_at is null and s.cancelled_at is null and s.expires_at > now() for share`',
    replace: 'and s.paused_at is null and s.cancelled_at is null for share`',
    tests: steps,
  },
  {
    name: 'feeding does not wait for a pause that is being committed',
    file: feeds,
    find: 'and s.expires_at > now() for share`',
    replace: 'and s.expires_at > now()`',
    tests: steps,
  },
  {
    name: 'recipients are fed in another order than they were added',
    file: feeds,
    find: 'q.send_id = send.id order by q.id limit',
    replace: 'q.send_id = send.id order by q.id desc limit',
    tests: steps,
  },
  {
    name: 'a pause takes a message that is being dispatched out of the queue',
    file: feeds,
    find: 'and m.state = ${stateSql.queued} and m.expires_at > now()\n      order by',
    replace: 'and m.expires_at > now()\n      order by',
    tests: steps,
  },
  {
    name: 'a returned message loses its attempts and its rejection',
    file: feeds,
    find: 'm.attempts, m.error`',
    replace: '0, null::jsonb`',
    tests: steps,
  },
  {
    name: 'messages of a send that is not paused are returned',
    file: feeds,
    find: 'and (s.paused_at is not null or s.stage = ${sendStageSql.scheduled}) and s.cancelled_at is null for share)',
    replace: 'and s.cancelled_at is null for share)',
    tests: steps,
  },
  {
    name: 'recipients of a send that goes on are failed',
    file: feeds,
    find: '        and (s.cancelled_at is not null or s.expires_at <= now()) for share)',
    replace: '        for share)',
    tests: steps,
  },
  {
    name: 'a send is done while its messages are queued',
    file: feeds,
    find: ' and count(*) filter (where q.send_id = s.id) = 0 from',
    replace: ' from',
    tests: steps,
  },
  {
    name: 'a send is done while recipients wait',
    file: feeds,
    find: '        and not exists (select from send_recipients r where r.send_id = s.id)\n',
    replace: '',
    tests: steps,
  },
  {
    name: 'the delay of a turn hides a pause made during it',
    file: feeds,
    find: ' and due_at = ${feed.lease}::timestamptz`',
    replace: '`',
    tests: steps,
  },
  {
    name: 'a scheduled send starts before its time',
    file: feeds,
    find: 'and s.stage = ${sendStageSql.scheduled} and s.send_at <= now()',
    replace: 'and s.stage = ${sendStageSql.scheduled}',
    tests: steps,
  },
  {
    name: 'a scheduled send starts although it is paused',
    file: feeds,
    find: '      and s.paused_at is null and s.cancelled_at is null`',
    replace: '      and s.cancelled_at is null`',
    tests: steps,
  },
  {
    name: 'a scheduled send starts with another text than its recipients were checked against',
    file: feeds,
    find: 'select s.id, ${isOfVersion} as fits from sends s',
    replace: 'select s.id, true as fits from sends s',
    tests: api,
  },
  {
    name: 'a send whose template changed is resumed',
    file: act,
    find: 'if (!send.fits) {',
    replace: 'if (false as boolean) {',
    tests: api,
  },
  {
    name: 'a done send can be cancelled',
    file: state,
    find: "if (state === 'done') return conflict;",
    replace: '',
    tests: table,
  },
  {
    name: 'a sender that a scheduled send names can be removed',
    file: 'src/messaging/senders/store.ts',
    find: 'and s.is_open and s.sender_id = n.id\n      where n.id = ${senderId}',
    replace: 'and s.is_open and s.sender_id = n.id\n      where false and n.id = ${senderId}',
    tests: api,
  },
  {
    name: 'a template that a scheduled send names can be deleted',
    file: 'src/messaging/template-editing/delete.ts',
    find: 'if (await hasOpenSends(tx, of))',
    replace: 'if ((await hasOpenSends(tx, of)) && (false as boolean))',
    tests: api,
  },
  {
    name: 'a second upload runs beside the first',
    file: lease,
    find: 'if (locked.is_uploading) throw uploadInProgress();',
    replace: '',
    tests: uploads,
  },
  {
    name: 'a draft whose process died in an upload is locked for ever',
    file: 'src/messaging/campaigns/transitions-store.ts',
    find: 'coalesce(s.upload_until > now(), false) as is_uploading',
    replace: '(s.upload_until is not null) as is_uploading',
    tests: ['test/db/campaign-leases.test.ts'],
  },
  {
    name: 'the end of an old upload ends the lease of a new one',
    file: recipients,
    find: 'update sends set upload_id = null, upload_until = null, upload_leased_by = null\n    where account_id = ${of.accountId} and id = ${of.sendId} and upload_id = ${leaseId}',
    replace:
      'update sends set upload_id = null, upload_until = null, upload_leased_by = null\n    where account_id = ${of.accountId} and id = ${of.sendId} and ${leaseId}::text is not null',
    tests: ['test/db/campaign-leases.test.ts'],
  },
  {
    name: 'a request does not wake the feed that a process has leased',
    file: 'src/messaging/campaigns/transitions-store.ts',
    find: 'on conflict (send_id) do update set due_at = excluded.due_at, leased_by = null',
    replace: 'on conflict (send_id) do nothing',
    tests: ['test/db/campaign-leases.test.ts'],
  },
  {
    name: 'a send starts while its recipients are uploaded',
    file: act,
    find: 'if (send.is_uploading) throw uploadInProgress();',
    replace: '',
    tests: uploads,
  },
  {
    name: 'recipients are added to a send in any state',
    file: lease,
    find: 'if (!states.includes(state)) throw stateConflict(state, participle);',
    replace: '',
    tests: drafts,
  },
  {
    name: 'recipients are added to a cancelled draft',
    file: recipients,
    find: 'and s.stage = ${sendStageSql.draft}\n        and s.cancelled_at is null and s.upload_id = ${leaseId} for no key update),\n    fresh as',
    replace:
      'and s.stage = ${sendStageSql.draft}\n        and s.upload_id = ${leaseId} for no key update),\n    fresh as',
    tests: uploads,
  },
  {
    name: 'a phone that is uploaded again ends the upload',
    file: recipients,
    find: '      on conflict (send_id, phone) do nothing returning account_id, phone)',
    replace: '      returning account_id, phone)',
    tests: uploads,
  },
  {
    name: 'a send takes more recipients than allowed',
    file: 'src/messaging/campaigns/add-recipients.ts',
    find: 'while (at < messages.length && upload.room > 0) {\n    const part = messages.slice(at, at + upload.room);',
    replace: 'while (at < messages.length) {\n    const part = messages.slice(at);',
    tests: uploads,
  },
  {
    name: 'a check that failed accepts the new text',
    file: 'src/messaging/campaigns/check.ts',
    find: 'if (result.rejected === 0) await recordVersion',
    replace: 'await recordVersion',
    tests: drafts,
  },
  {
    name: 'a key runs two exports at a time',
    file: 'src/http/exports.ts',
    find: 'if (running.has(callerId))',
    replace: 'if (false as boolean)',
    tests: ['test/api/exports.test.ts'],
  },
];
