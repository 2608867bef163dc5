-- when the events of so many bookings vanished at once that none of them is cancelled, nor what vanishes soon after
alter table calendar_connections add column bookings_missing_at timestamptz;
