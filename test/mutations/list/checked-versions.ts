// Mutations of what keeps recipients from leaving for a template that they were not checked against, and of leases of dispatches.
import type { Mutation } from '../mutation.ts';

const feeds = 'src/messaging/campaigns/feeds-store.ts';
const changed = 'src/messaging/campaigns/changed-feeds-store.ts';
const steps = ['test/db/changed-feeds.test.ts'];
const api = ['test/api/template-rechecks.test.ts'];
const dispatch = ['test/db/message-leases.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'recipients are fed although the template changed since they were checked',
    file: feeds,
    find: 'left join template t on true where t.id is null or ${isOfVersion}',
    replace: 'left join template t on true',
    tests: steps,
  },
  {
    name: 'the check of queued messages does not wait for a portion that is being fed',
    file: feeds,
    find: 'where t.id = s.template_id for key share of t)',
    replace: 'where t.id = s.template_id)',
    tests: steps,
  },
  {
    name: 'the check of queued messages does not wait for sends that are being stored',
    file: 'src/messaging/dispatch/recheck-store.ts',
    find: 'for update skip locked',
    replace: 'for no key update skip locked',
    tests: steps,
  },
  {
    name: 'a portion that was checked against an earlier template is fed',
    file: changed,
    find: 'where t.version = ${versionOf(sql`${template.components_changed_at}::timestamptz`)}`',
    replace: 'where t.version is not null`',
    tests: steps,
  },
  {
    name: 'recipients that do not fit the changed template are due',
    file: changed,
    find: 'case when not m.id = any(${idsOf(misfits)}) then now() end',
    replace: 'now()',
    tests: steps,
  },
  {
    name: 'recipients that are fed after a check are not counted as queued',
    file: changed,
    find: '    ${counted}\n    insert into messages',
    replace: '    uncounted as (select 1)\n    insert into messages',
    tests: steps,
  },
  {
    name: 'recipients that no longer fit are fed',
    file: 'src/messaging/campaigns/feed-changed.ts',
    find: '!fits(plan, content)',
    replace: 'false',
    tests: api,
  },
  {
    name: 'the check of queued messages ignores recipients that are older than a month',
    file: 'src/messaging/dispatch/recheck-store.ts',
    find: 'and is_open and template_id',
    replace: 'and false and template_id',
    tests: steps,
  },
  {
    name: 'the check begins a month ago whatever the age of a campaign',
    file: 'src/messaging/dispatch/recheck.ts',
    find: 'Math.min(nowMs - queuedAtMostMs, openSinceMs)',
    replace: 'nowMs - queuedAtMostMs',
    tests: steps,
  },
  {
    name: 'new sample addresses count as a change of the template',
    file: 'src/messaging/template-content/fits.ts',
    find: "key === 'example' ? undefined : value",
    replace: 'value',
    tests: ['test/api/sends.test.ts'],
  },
  {
    name: 'a changed draft of a template keeps its version',
    file: 'src/messaging/template-editing/edits-store.ts',
    find: "components_changed_at = date_trunc('milliseconds', now()), updated_at = now()\n    where",
    replace: 'updated_at = now()\n    where',
    tests: ['test/api/drafts.test.ts'],
  },
  {
    name: 'a dispatch begins under a lease that is no longer valid, so that its rejection cannot be recorded',
    file: 'src/messaging/messages/moves-store.ts',
    find: '(m.due_at = x.lease::timestamptz) is true and ${isCallable}',
    replace: '${isCallable}',
    tests: dispatch,
  },
  {
    name: 'messages are begun that a request offers to a stopping process',
    file: 'src/messaging/dispatch/dispatcher.ts',
    find: 'if (this.#stopping.signal.aborted) void queue.stop();',
    replace: '',
    tests: dispatch,
  },
  {
    name: 'the lease of another process is released',
    file: 'src/messaging/dispatch/claims-store.ts',
    find: 'and (m.due_at = x.lease::timestamptz) is true and m.state',
    replace: 'and m.state',
    tests: dispatch,
  },
];
