-- Halts of a number that stop its templates alone, while it still answers people who wrote.
-- kind: expand

-- only where `halted_at` is set: replies still leave; an older process, which never writes it, keeps them waiting as well
alter table senders add column halt_spares_replies boolean not null default false;
