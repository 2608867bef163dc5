-- Sends remember which version of the template their recipients were checked against, instead of its components.

-- coalesce(templates.components_changed_at, '-infinity') at that check; null: not known to fit
alter table sends add column checked_version timestamptz;
update sends s set checked_version = coalesce(t.components_changed_at, '-infinity')
from templates t where t.id = s.template_id and s.is_open and s.stage < 2 and s.components = t.components;
alter table sends drop column components;
