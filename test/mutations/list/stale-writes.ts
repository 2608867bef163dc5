// Mutations of late and concurrent writes to media files and templates.
import type { Mutation } from '../mutation.ts';

const media = 'src/messaging/media/store.ts';
const removal = 'src/messaging/media/removal-store.ts';
const stale = ['test/db/stale-writes.test.ts'];

export const mutations: Mutation[] = [
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
    find: ' and r.expires_at > x.beyond',
    replace: '',
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
    name: 'a template that became due during its reading is forgotten',
    file: 'src/messaging/templates/readings-store.ts',
    find: ' and read_due_at = ${template.read_due_at}`',
    replace: '`',
    tests: stale,
  },
  {
    name: 'two processes read the same template',
    file: 'src/messaging/templates/readings-store.ts',
    find: 'where read_due_at <= now() and business_account_id is not null',
    replace: 'where read_due_at is not null and business_account_id is not null',
    tests: stale,
  },
];
