-- The history of templates, why a number is slowed down, and who made a send.
-- kind: expand

-- each change of status, category or quality that the platform made, written with its event
create table template_changes (
  account_id uuid not null references accounts on delete cascade,
  template_id uuid not null,
  id uuid not null,
  status text not null,
  provider_status text,
  category text not null,
  quality_score text,
  -- the same four before
  previous jsonb not null,
  -- the platform's own words
  reason text,
  primary key (account_id, template_id, id)
);

-- the platform's code of the rejection that slowed it down last
alter table sender_paces add column slowed_code integer;

-- {kind, id, name} of who made it; null for sends that lists leave out, and those of earlier versions
alter table sends add column created_by jsonb;
