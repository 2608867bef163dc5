-- Templates whose category has reached a limit of the platform: their messages wait, and are tried again from time to time.
-- kind: expand

-- until when the queued messages of the template wait for the limit of its category; the template itself stays approved
alter table templates add column limited_until timestamptz;
