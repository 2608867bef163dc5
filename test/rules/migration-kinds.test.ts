// New migrations: each declares its kind, and an `expand` one does nothing that an older process would fail on.
import { describe, expect, test } from 'vitest';
import { needsKind, problemsOfMigration } from '../../scripts/check-migration.ts';
import { readMigrations } from '../../src/db/migration-files.ts';

const problemsOf = (statements: string, kind = '-- kind: expand') =>
  problemsOfMigration(`-- What it makes.\n${kind}\n\n${statements}`);

describe('a migration of this program', async () => {
  const files = (await readMigrations()).filter(({ name }) => needsKind(name));

  test.each(files.map(({ name, text }) => [name, text]))(
    '%s keeps the rules of its kind',
    async (_name, text) => {
      expect(await problemsOfMigration(text)).toEqual([]);
    },
  );

  test('without a kind is rejected', async () => {
    expect(await problemsOf('create table a (id int);', '')).toEqual([
      expect.stringMatching(/declares no kind/),
    ]);
    await expect(problemsOf('create table a (id int);', '-- kind: both')).rejects.toThrow(
      /expand or contract, not both/,
    );
  });

  test('may do anything if it contracts', async () => {
    expect(await problemsOf('drop table messages;', '-- kind: contract')).toEqual([]);
  });
});

describe('an expand migration', () => {
  test.each([
    'create table a (id int primary key, b int not null unique); create unique index on a (b); alter table a add check (b > 0);',
    'alter table messages add column a int, add column b int not null default 3;',
    'alter table messages add column a int check (a > 0); create index a on messages (a);',
    'alter table messages alter column content drop not null;',
    "alter table messages alter column content set default '{}'; update senders set name = '';",
    'alter table messages drop constraint messages_state_check;',
    '-- widens: messages_state_check\nalter table messages drop constraint messages_state_check, add constraint messages_state_check check (state < 9);',
    'alter sequence recent_changes_id_seq set logged;',
    'create function f() returns int language sql return 1; comment on column messages.id is $$drop table a;$$; insert into a values (1);',
  ])('may contain %s', async (statements) => {
    expect(await problemsOf(statements)).toEqual([]);
  });

  test.each([
    ['drop table messages;', /Drop may break/],
    ['drop index messages_due;', /Drop may break/],
    ['alter table messages drop column state;', /messages: DropColumn: older processes read/],
    ['alter table messages add column a int not null;', /not null without a default/],
    ['alter table messages add column a int unique;', /is unique/],
    ['alter table messages alter column state set not null;', /SetNotNull/],
    ['alter table messages alter column state type bigint;', /AlterColumnType/],
    ['alter table messages alter column state drop default;', /dropped default/],
    ['alter table messages add constraint a check (state < 9);', /AddConstraint/],
    ['alter table messages drop constraint messages_pkey;', /DropConstraint/],
    ['alter table messages rename column state to status;', /Rename may break/],
    ['alter table recent_changes set logged;', /SetLogged/],
    ['alter table messages rename to letters;', /Rename may break/],
    ['create table a (id int); alter table a rename to b;', /Rename may break/],
    ['create unique index on messages (wamid);', /unique index of messages/],
    ['create trigger a before insert on messages execute function f();', /trigger/],
    ['create or replace function uuid7_floor() returns int language sql return 1;', /another name/],
    ['do $$ begin drop table messages; end $$;', /Do may break/],
    ['delete from messages;', /Delete may break/],
    ['truncate messages;', /Truncate may break/],
    ['alter table messages add column a int; drop view b;', /Drop may break/],
    ["alter type kind rename value 'a' to 'b';", /may break/],
  ])('must not contain %s', async (statements, problem) => {
    expect(await problemsOf(statements)).toEqual([expect.stringMatching(problem)]);
  });
});
