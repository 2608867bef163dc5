-- What was sent: earlier components of templates, and whether the platform charges for a message.

-- null: the platform has not reported it
alter table messages add column billable boolean;

-- since when the components are as they are; for older rows the time of this migration, because earlier ones are unknown
alter table templates add column components_since timestamptz not null default now();

-- components of a template until they changed or the template was removed: a message is shown with those of its time
create table template_versions (
  account_id uuid not null references accounts on delete cascade,
  template_id uuid not null,
  replaced_at timestamptz not null,
  since timestamptz not null,
  category text not null,
  parameter_format text not null,
  components jsonb not null,
  primary key (template_id, replaced_at)
);
