-- After a failover, recent_changes could not be written.
-- kind: expand

-- The sequence of an unlogged table is unlogged too. On a standby, its initial page may not be on disk when the standby is promoted
-- (seen with PostgreSQL 15.18): nextval then fails with "bad magic number in sequence". The table stays unlogged.
alter sequence recent_changes_id_seq set logged;
