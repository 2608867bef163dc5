-- Steps of the clocks: noticed by every process; what the database's clock wrote before it stepped back is made good.

-- one row: the latest instant that a process read from the database's clock, every two seconds
create table database_clock (
  single boolean primary key default true check (single),
  seen_at timestamptz not null
);
insert into database_clock (seen_at) values (now());

create table clock_steps (
  id bigint generated always as identity primary key,
  -- of the database, or of the machine of a process
  clock text not null check (clock in ('database', 'machine')),
  -- the machine that noticed it
  machine text not null,
  -- how far; negative: backward
  seconds float8 not null,
  -- after the step, by the database's clock
  noticed_at timestamptz not null,
  -- the parts of the database that are made good; null: nothing is left to do
  mended text[]
);
create index clock_steps_open on clock_steps (id) where mended is not null;
