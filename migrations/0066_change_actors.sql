-- kind: expand
-- Who asked for the pending change of a booking: the audit log names them once the calendar has it.
alter table bookings add column wish_actor jsonb;
