-- Reports of templates that come late do not undo those that came before them.

-- the platform's time of the newest report that was applied; null: none that named its time
alter table templates add column reported_at timestamptz;
