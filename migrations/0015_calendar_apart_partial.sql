-- Bookings without a calendar are not in the index by calendar: they need not pay for it.
alter table occupancies drop constraint occupancies_calendar_apart;
alter table occupancies add constraint occupancies_calendar_apart exclude using gist
  (calendar_key with =, booking_id with <>, during with &&) where (calendar_key is not null);
