-- Opt-outs: who does not want messages, and how people say so.

create table opt_outs (
  account_id uuid not null,
  contact_id uuid not null,
  -- UUIDv7 of the time when the opt-out was recorded; a new one each time
  id uuid not null,
  -- 0 none 1 marketing 2 all templates but authentication; rows with 0 are kept, so that an older act changes nothing
  scope smallint not null check (scope between 0 and 2),
  -- of the act that decided the scope: 0 platform 1 keyword 2 button 3 error of the platform 4 api
  source smallint not null check (source between 0 and 4),
  reason text,
  -- the time of the newest act: of the platform's clock or, for the API, of ours
  acted_at timestamptz not null,
  primary key (account_id, contact_id)
) with (fillfactor = 70);
create unique index opt_outs_listed on opt_outs (account_id, id) where scope > 0;

-- one row for an account that has settings
create table opt_out_settings (
  account_id uuid primary key references accounts on delete cascade,
  -- as they were given; compared without regard to case
  stop_words text[] not null default '{}',
  start_words text[] not null default '{}',
  button_payloads text[] not null default '{}'
);
