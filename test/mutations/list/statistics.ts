// Mutations of statistics: what is counted once, what is taken back, and folding.
import type { Mutation } from '../mutation.ts';

const counts = 'src/messaging/messages/counts-store.ts';
const moved = 'src/messaging/status-reports/moved-counts.ts';
const moves = 'src/messaging/messages/moves-store.ts';
const feeds = 'src/messaging/campaigns/feeds-store.ts';
const fold = 'src/statistics/fold-store.ts';
const read = 'src/statistics/read.ts';
const intervals = 'src/statistics/intervals.ts';
const deliveries = 'src/webhooks/delivery/delivery-counts-store.ts';
const rows = ['test/db/statistics-counts.test.ts'];
const rules = ['test/rules/statistics-intervals.test.ts'];
const reading = ['test/db/statistics-reading.test.ts'];
const api = ['test/api/statistics.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'a repeated acceptance is counted again',
    file: counts,
    find: 'from accepted a where a.accepted_at = now()',
    replace: 'from accepted a',
    tests: rows,
  },
  {
    name: 'a repeated acceptance moves to another time',
    file: moves,
    find: 'accepted_at = coalesce(m.accepted_at, now())',
    replace: 'accepted_at = now()',
    tests: rows,
  },
  {
    name: 'a stage that was reached before is counted again',
    file: moved,
    find: 'was: row.was,',
    replace: 'was: 0,',
    tests: rows,
  },
  {
    name: 'a replaced failure is not taken back',
    file: moved,
    find: 'row.failed_at === null && row.was_failed_at !== null',
    replace: 'false',
    tests: rows,
  },
  {
    name: 'a failure that is reported again is counted again',
    file: moved,
    find: 'row.failed_at !== null && row.was_failed_at === null',
    replace: 'row.failed_at !== null',
    tests: rows,
  },
  {
    name: 'a replaced failure is taken back at another time',
    file: moves,
    find: 'was_failed_at = m.failed_at',
    replace: 'was_failed_at = case when m.failed_at is not null then now() end',
    tests: rows,
  },
  {
    name: 'a recipient that a pause returned is counted as queued again',
    file: feeds,
    find: 'from moved, send where not moved.was_queued',
    replace: 'from moved, send',
    tests: ['test/db/send-feeds.test.ts'],
  },
  {
    name: 'counts of reports are not recorded',
    file: 'src/messaging/status-reports/apply-statuses.ts',
    find: 'publish(deps, tx, events, movedChanges(moved), isLast)',
    replace: 'publish(deps, tx, events, undefined, isLast)',
    tests: api,
  },
  {
    name: 'counts without an event are not recorded',
    file: 'src/webhooks/publish.ts',
    find: 'if (events.length + changes.length === 0) return [];',
    replace: 'if (events.length === 0) return [];',
    tests: ['test/db/statistics-deliveries.test.ts'],
  },
  {
    name: 'folded changes stay',
    file: fold,
    find: 'with gone as (\n      delete from statistics_changes where ctid = any(array(select ctid from statistics_changes limit ${limit}))\n      returning *),',
    replace: 'with gone as (\n      select * from statistics_changes limit ${limit}),',
    tests: rows,
  },
  {
    name: 'folding promises what an open transaction has not committed',
    file: fold,
    find: 'least(now(), (select min(a.xact_start)',
    replace: 'coalesce(now(), (select min(a.xact_start)',
    tests: rows,
  },
  {
    name: 'only rows of quarter hours are folded',
    file: fold,
    find: "(values (15::smallint, interval '15 minutes'), (60::smallint, interval '1 hour')) w(minutes, width)",
    replace: "(values (15::smallint, interval '15 minutes')) w(minutes, width)",
    tests: rows,
  },
  {
    name: 'a repeated date begins a second day',
    file: intervals,
    find: 'else if (local > lastDay)',
    replace: 'else',
    tests: rules,
  },
  {
    name: 'hours at the edges of an interval are read whole',
    file: intervals,
    find: 'Math.ceil(from / hourMs) * hourMs',
    replace: 'Math.floor(from / hourMs) * hourMs',
    tests: rules,
  },
  {
    name: 'a range may have any number of intervals',
    file: intervals,
    find: 'kept.length > max ? undefined : kept',
    replace: 'kept',
    tests: rules,
  },
  {
    name: 'a range may have any number of keys',
    file: read,
    find: 'new Set(rows.map(({ key }) => key)).size > keysMax',
    replace: 'false',
    tests: api,
  },
  {
    name: 'an interval of several pieces is returned in parts',
    file: 'src/statistics/read-store.ts',
    find: 'new Set(pieces.map(({ index }) => index)).size === pieces.length;',
    replace: 'pieces.length > 0;',
    tests: reading,
  },
  {
    name: 'an interval is read in two parts',
    file: 'src/statistics/read-store.ts',
    find: 'pieces.filter(({ index }) => partOf(index) === part)',
    replace: 'pieces.filter((_, at) => Math.floor((at * parts) / pieces.length) === part)',
    tests: ['test/db/statistics-reading.test.ts'],
  },
  {
    name: 'counts are returned in the order in which they are read',
    file: 'src/statistics/read-store.ts',
    find: 'return rows.sort((a, b) => {',
    replace: 'return rows.slice().reverse().sort((a, b) => { if (a.index === b.index) return 0;',
    tests: reading,
  },
  {
    name: 'statistics of other accounts are read',
    file: 'src/statistics/read-store.ts',
    find: 'where c.account_id = ${accountId} and c.minutes',
    replace: 'where c.minutes',
    tests: api,
  },
  {
    name: 'failed attempts that retry count as dead',
    file: deliveries,
    find: '${dead(sql`moved`, sql`f.is_dead`)}',
    replace: '${dead(sql`moved`, sql`true`)}',
    tests: ['test/db/statistics-deliveries.test.ts'],
  },
  {
    name: 'the overview shows a key more than it may read',
    file: 'src/overview/overview.ts',
    find: 'const may = (scope: Scope) => scopes.has(scope);',
    replace: 'const may = (_scope: Scope) => true;',
    tests: api,
  },
  {
    name: 'the overview shows failed checks of other accounts',
    file: 'src/messaging/senders/states-store.ts',
    find: 's.account_id = ${accountId}::uuid)',
    replace: 'true)',
    tests: api,
  },
  {
    name: 'the overview shows stopped templates of other accounts',
    file: 'src/messaging/templates/store.ts',
    find: ".where('account_id', '=', accountId)\n    .where('status', '=', templateStatus.submitted)",
    replace: ".where('status', '=', templateStatus.submitted)",
    tests: api,
  },
  {
    name: 'the last 30 days in the overview end before today',
    file: 'src/statistics/periods.ts',
    find: 'piecesOf([from], { ...range, from })',
    replace: 'piecesOf([from], { from, to: starts.at(-1) ?? range.to })',
    tests: api,
  },
  {
    name: 'counts are never deleted',
    file: 'src/statistics/fold.ts',
    find: 'keptDays = 800',
    replace: 'keptDays = 8_000',
    tests: ['test/db/statistics-counts.test.ts'],
  },
];
