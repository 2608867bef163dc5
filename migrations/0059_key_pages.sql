-- Room for responses on the pages of keys: a response makes its row five times as long, and on a full page it moved, with new entries in all
-- three indexes. Applies to pages that are filled from now on.
-- kind: expand

alter table idempotency_keys set (fillfactor = 20);
