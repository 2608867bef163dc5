-- Keys of sends whose response says no more than their only message does, so that its acceptance needs no second write.
-- kind: expand

-- the only message of the send: once the platform accepted it, that is the response, made again from its row; null: the response is stored
alter table idempotency_keys add column answered_by uuid;
