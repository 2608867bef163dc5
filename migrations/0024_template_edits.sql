-- Editing of templates, and what the platform announces about them.

-- when it was edited while it was approved: the platform limits these edits and reports no count
alter table templates add column edited_at timestamptz[] not null default '{}';
-- seconds for which the platform tries to deliver a message; null: its default
alter table templates add column message_ttl_seconds integer;
-- the category that the platform announced, and when the template gets it
alter table templates add column next_category text;
alter table templates add column next_category_at timestamptz;
