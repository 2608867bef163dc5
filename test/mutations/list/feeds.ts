// Mutations of what the queue may have of a campaign.
import type { Mutation } from '../mutation.ts';

const feeds = 'src/messaging/campaigns/feeds-store.ts';
const steps = ['test/db/send-feeds.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'messages of a campaign that are due later keep others of it from the queue',
    file: feeds,
    find: ' and q.due_at <= now()',
    replace: '',
    tests: steps,
  },
  {
    name: 'a campaign fills the queue beyond what its number sends in seconds',
    file: feeds,
    find: 'ceil(${dueSeconds}::float8 * coalesce(',
    replace: 'ceil(1000 * ${dueSeconds}::float8 * coalesce(',
    tests: steps,
  },
  {
    name: 'the queue takes more of one send than it may',
    file: feeds,
    find: '${messages}::int - count(*) filter (where q.send_id = s.id),',
    replace: '${messages}::int,',
    tests: steps,
  },
];
