// Mutations of statements on accounts, staff, media, endpoints and occupied time, and of what many callers share.
import type { Mutation } from '../mutation.ts';

const locks = 'src/appointments/booking/locks-store.ts';
const occupancies = 'src/appointments/booking/occupancies-store.ts';
const staff = 'src/appointments/directory/store.ts';
const media = 'src/messaging/media/store.ts';
const removal = 'src/messaging/media/removal-store.ts';
const accounts = 'src/accounts/store.ts';
const endpoints = 'src/webhooks/endpoints/store.ts';
const rotation = 'src/webhooks/endpoints/endpoint.ts';
const failure = 'src/db/failure.ts';
const shared = ['test/db/booking-states.test.ts'];
const changes = ['test/api/appointments-changes.test.ts'];
const directory = ['test/api/appointments-directory.test.ts'];
const stale = ['test/db/stale-writes.test.ts'];
const keys = ['test/api/keys.test.ts'];
const endpointTests = ['test/api/webhooks-endpoints.test.ts'];
const failures = ['test/db/failure.test.ts'];
const roundTests = ['test/rules/rounds.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'bookings of staff that share a calendar do not wait for each other',
    file: locks,
    find: 'and (calendar_key is null or pg_try_advisory_xact_lock(hashtextextended(calendar_key::text, 3))) as locked',
    replace: 'as locked',
    tests: shared,
  },
  {
    name: 'a change of a booking does not lock the calendar that others share',
    file: locks,
    find: 'where staff_id = ${staffId} and calendar_key is not null`.execute(tx);',
    replace: 'where staff_id = ${staffId} and false`.execute(tx);',
    tests: shared,
  },
  {
    name: 'a hold does not lock the bookings of its staff member',
    file: locks,
    find: 'select id, calendar_key, pg_try_advisory_xact_lock(hashtextextended(id, 3))\n      and (',
    replace: 'select id, calendar_key, (',
    tests: shared,
  },
  {
    name: 'a finished move keeps the old time occupied',
    file: occupancies,
    find: '  await sql`delete from occupancies where booking_id = ${bookingId} and part = ${part.current}`.execute(tx);\n',
    replace: '',
    tests: changes,
  },
  {
    name: 'a rejected move frees the current time of the booking',
    file: occupancies,
    find: 'delete from occupancies where booking_id = ${bookingId} and part = ${part.pending}',
    replace: 'delete from occupancies where booking_id = ${bookingId}',
    tests: [
      ...changes,
      'test/api/appointments-change-keys.test.ts',
      'test/api/appointments-transactions.test.ts',
    ],
  },
  {
    name: 'staff of another account is found',
    file: staff,
    find: 'where account_id = ${accountId} and id = ${id} and deleted_at is null`',
    replace: 'where id = ${id} and deleted_at is null`',
    tests: ['test/api/other-accounts.test.ts', ...directory],
  },
  {
    name: 'removed staff is found',
    file: staff,
    find: 'where account_id = ${accountId} and id = ${id} and deleted_at is null`',
    replace: 'where account_id = ${accountId} and id = ${id}`',
    tests: directory,
  },
  {
    name: 'a department that has staff is deleted',
    file: staff,
    find: 'where department_id = ${departmentId} and deleted_at is null`',
    replace: 'where department_id = ${departmentId} and deleted_at is not null`',
    tests: directory,
  },
  {
    name: 'staff with unfinished bookings is removed',
    file: staff,
    find: 'and (due_at is not null or (state',
    replace: 'and ((state',
    tests: [...directory, 'test/api/appointments-calendar.test.ts', ...changes],
  },
  {
    name: 'staff with future bookings is removed',
    file: staff,
    find: 'and (due_at is not null or (state = ${confirmed} and coalesce(hand_ends_at, ends_at) > ${now}))',
    replace: 'and due_at is not null and ${now}::timestamptz is not null',
    tests: [...directory, ...changes],
  },
  {
    name: 'inactive staff is listed without being asked for',
    file: staff,
    find: 'and deleted_at is null and (active or ${filter.includeInactive})',
    replace: 'and deleted_at is null and (active or ${filter.includeInactive} or true)',
    tests: directory,
  },
  {
    name: 'a removed file is stored again by its late upload',
    file: media,
    find: 'where id = ${stored.id} and state = ${state.receiving} returning *',
    replace: 'where id = ${stored.id} returning *',
    tests: stale,
  },
  {
    name: 'a removed file becomes ready by its late registration',
    file: media,
    find: 'where id = ${id} and state = ${state.registering} returning *',
    replace: 'where id = ${id} returning *',
    tests: stale,
  },
  {
    name: 'the lease of a removed upload is extended',
    file: media,
    find: 'where id = ${id} and state = ${state.receiving} returning 1',
    replace: 'where id = ${id} returning 1',
    tests: stale,
  },
  {
    name: 'the lease of a removed registration is extended',
    file: media,
    find: 'where id = ${id} and state = ${state.registering} returning 1',
    replace: 'where id = ${id} returning 1',
    tests: stale,
  },
  {
    name: 'an expired registration is used',
    file: media,
    find: 'and sender_id = ${of.senderId} and expires_at > ${of.beyond}',
    replace: 'and sender_id = ${of.senderId} and ${of.beyond}::timestamptz is not null',
    tests: stale,
  },
  {
    name: 'a registration made since is deleted with the lost one',
    file: media,
    find: 'and platform_media_id = ${of.platformMediaId} and expires_at < ${of.expiresBefore}`',
    replace: 'and expires_at < ${of.expiresBefore}`',
    tests: stale,
  },
  {
    name: 'a file that is being removed is found',
    file: media,
    find: 'and public_id = ${publicId} and state = ${state.ready}`',
    replace: 'and public_id = ${publicId}`',
    tests: stale,
  },
  {
    name: 'a file is removed while a send that needs it is stored',
    file: media,
    find: 'order by id for share`',
    replace: 'order by id`',
    tests: stale,
  },
  {
    name: 'a file is removed while messages need it',
    file: removal,
    find: 'where media_id = ${mediaId} and account_id = ${accountId} and due_at is not null',
    replace: 'where media_id = ${mediaId} and account_id = ${accountId} and due_at is null',
    tests: stale,
  },
  {
    name: 'an upload in progress is removed as a leftover',
    file: removal,
    find: 'from media where due_at <= now() order by due_at',
    replace: 'from media where due_at is not null order by due_at',
    tests: stale,
  },
  {
    name: 'two processes remove the same leftover',
    file: removal,
    find: '\n      for update skip locked) due',
    replace: ') due',
    tests: stale,
  },
  {
    name: 'a draft is submitted twice',
    file: 'src/messaging/templates/drafts-store.ts',
    find: 'where id = ${id} and status = ${status.draft} returning *',
    replace: 'where id = ${id} returning *',
    tests: stale,
  },
  {
    name: 'a template that became due during its reading is forgotten',
    file: 'src/messaging/templates/single-reads-store.ts',
    find: ' and read_due_at = ${template.read_due_at}`',
    replace: '`',
    tests: stale,
  },
  {
    name: 'two processes read the same template',
    file: 'src/messaging/templates/single-reads-store.ts',
    find: 'where read_due_at <= now() and business_account_id is not null',
    replace: 'where read_due_at is not null and business_account_id is not null',
    tests: stale,
  },
  {
    name: 'a revoked key authenticates',
    file: accounts,
    find: ".where('hash', '=', hash)\n    .where('revoked_at', 'is', null)",
    replace: ".where('hash', '=', hash)",
    tests: keys,
  },
  {
    name: 'a rotated key lives longer than before',
    file: accounts,
    find: 'set expires_at = least(expires_at, ${at}) where',
    replace: 'set expires_at = ${at} where',
    tests: ['test/db/key-use.test.ts'],
  },
  {
    name: 'a key of another account is revoked',
    file: accounts,
    find: "    .set({ revoked_at: now })\n    .where('account_id', '=', accountId)\n",
    replace: '    .set({ revoked_at: now })\n',
    tests: ['test/api/other-accounts.test.ts', ...keys],
  },
  {
    name: 'the last managing keys are revoked together',
    file: accounts,
    find: "    .orderBy('id')\n    .forUpdate()\n",
    replace: "    .orderBy('id')\n",
    tests: [...keys, 'test/db/key-bounds.test.ts'],
  },
  {
    name: 'the last use of a key goes back in time',
    file: accounts,
    find: ' and (k.last_used_at is null or k.last_used_at < ${at})',
    replace: '',
    tests: ['test/db/key-use.test.ts'],
  },
  {
    name: 'concurrent requests exceed the number of endpoints',
    file: endpoints,
    find: '  await sql`select from accounts where id = ${accountId} for update`.execute(tx);\n',
    replace: '',
    tests: endpointTests,
  },
  {
    name: 'an endpoint of another account is found',
    file: endpoints,
    find: 'where id = ${id} and account_id = ${accountId} and status <> ${status.deleted}\n    ${lock',
    replace: 'where id = ${id} and status <> ${status.deleted}\n    ${lock',
    tests: ['test/api/other-accounts.test.ts', ...endpointTests],
  },
  {
    name: 'a deleted endpoint is found',
    file: endpoints,
    find: 'where id = ${id} and account_id = ${accountId} and status <> ${status.deleted}\n    ${lock',
    replace: 'where id = ${id} and account_id = ${accountId}\n    ${lock',
    tests: endpointTests,
  },
  {
    name: 'a deleted endpoint keeps its secret',
    file: endpoints,
    find: "secret = ''::bytea, next_secret = null, overlap_until",
    replace: 'overlap_until',
    tests: endpointTests,
  },
  {
    name: 'a new URL keeps the failures of the old one',
    file: endpoints,
    find: '${change.restart} or url <> ${change.url} as restart',
    replace: '${change.restart} as restart',
    tests: [...endpointTests, 'test/api/webhooks-rests.test.ts', 'test/api/webhooks-trouble.test.ts'],
  },
  {
    name: 'a rotation replaces a secret that no receiver has yet',
    file: rotation,
    find: 'if (overlaps(row, now) && !row.next_activated) {',
    replace: 'if (overlaps(row, now) && row.next_activated) {',
    tests: endpointTests,
  },
  {
    name: 'an old secret signs after its overlap',
    file: 'src/webhooks/endpoints/secrets.ts',
    find: 'if (next && row.overlap_until && row.overlap_until.getTime() <= nowMs)',
    replace: 'if (next && row.overlap_until && row.overlap_until.getTime() <= 0 * nowMs)',
    tests: endpointTests,
  },
  {
    name: 'a new secret signs the body before its activation',
    file: 'src/webhooks/endpoints/secrets.ts',
    find: 'forBody: row.next_activated ? next : current',
    replace: 'forBody: next',
    tests: endpointTests,
  },
  {
    name: 'a statement that exceeded its time limit counts as an unavailable database',
    file: failure,
    find: '57(?!014)...',
    replace: '57...',
    tests: failures,
  },
  {
    name: 'a missing file counts as an unavailable database',
    file: failure,
    find: 'const isSocket = socketCalls.has(syscall) && ',
    replace: 'const isSocket = ',
    tests: failures,
  },
  {
    name: 'a caller gets a result that was computed before its call',
    file: 'src/work/rounds.ts',
    find: '      ofKey.gathering = undefined;\n',
    replace: '',
    tests: roundTests,
  },
  {
    name: 'rounds of a key overlap',
    file: 'src/work/rounds.ts',
    find: '    ofKey.over = over;\n',
    replace: '    ofKey.over = turn();\n',
    tests: roundTests,
  },
  {
    name: 'a lease that could not be released is forgotten',
    file: 'src/work/releases.ts',
    find: '        await deps.clock.sleep(retryEveryMs, stopping.signal);\n',
    replace: '        waiting.clear();\n',
    tests: ['test/rules/releases.test.ts'],
  },
  {
    name: 'a process that stops goes on releasing leases',
    file: 'src/work/releases.ts',
    find: 'while (waiting.size > 0 && !stopping.signal.aborted) {',
    replace: 'while (waiting.size > 0) {',
    tests: ['test/rules/releases.test.ts'],
  },
];
