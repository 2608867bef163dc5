-- When each calendar was read, to check bookings whose events were inserted since.
-- kind: expand

-- when the reading began whose cursor is stored; null: before this column
alter table calendar_connections add column changes_read_at timestamptz;
