// Mutations of the leases of sends that the end of a process releases.
import type { Mutation } from '../mutation.ts';

const feeds = 'src/messaging/campaigns/feeds-store.ts';
const recipients = 'src/messaging/campaigns/recipients-store.ts';
const tests = ['test/db/ended-leases.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'a feed does not name the process that claimed it',
    file: feeds,
    find: "interval '1 second', leased_by = ${processId} from (",
    replace: "interval '1 second' from (",
    tests,
  },
  {
    name: 'feeds that an active process leased are released with those of an ended one',
    file: feeds,
    find: 'where due_at > now() and leased_by = any (${[...processIds]}::int[]) for update skip locked',
    replace: 'where due_at > now() and ${processIds.length}::int > 0 for update skip locked',
    tests,
  },
  {
    name: 'a delayed feed still counts as leased by its process',
    file: feeds,
    find: 'update send_feeds set due_at = ${at}, leased_by = null where',
    replace: 'update send_feeds set due_at = ${at} where',
    tests,
  },
  {
    name: 'a feed that a request made due still counts as leased by the process before',
    file: 'src/messaging/campaigns/transitions-store.ts',
    find: 'do update set due_at = excluded.due_at, leased_by = null',
    replace: 'do update set due_at = excluded.due_at',
    tests,
  },
  {
    name: 'the lease of recipients does not name its process',
    file: recipients,
    find: ',\n      upload_leased_by = ${lease.processId}\n',
    replace: '\n',
    tests,
  },
  {
    name: 'a renewed lease of recipients does not name its process',
    file: recipients,
    find: "interval '1 second', upload_leased_by = ${lease.processId}\n",
    replace: "interval '1 second'\n",
    tests,
  },
  {
    name: 'recipients that an active process leased are released with those of an ended one',
    file: recipients,
    find: 'where is_open and upload_leased_by = any (${[...processIds]}::int[])',
    replace: 'where is_open and ${processIds.length}::int > 0',
    tests,
  },
  {
    name: 'the end of the lease of recipients leaves the name of its process',
    file: recipients,
    find: 'upload_until = null, upload_leased_by = null\n    where',
    replace: 'upload_until = null\n    where',
    tests,
  },
  {
    name: 'a check whose lease another process took replaces contents',
    file: recipients,
    find: '${of.sendId} and s.upload_id = ${leaseId}\n      for no key update),\n    replaced as',
    replace: '${of.sendId} and ${leaseId}::text is not null\n      for no key update),\n    replaced as',
    tests,
  },
  {
    name: 'the leases of recipients are not released',
    file: 'src/messaging/campaigns/release-leases.ts',
    find: ' + (await releaseRecipientsOfProcesses(tx, processIds))',
    replace: ' + 0 * (await releaseRecipientsOfProcesses(tx, []))',
    tests,
  },
];
