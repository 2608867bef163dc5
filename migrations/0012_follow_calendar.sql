-- What becomes of bookings whose events staff move or delete in their calendars.

-- follow: the booking takes the event's time; cancel: it is cancelled. Staff members that exist keep what they have.
alter table staff
  add column on_calendar_move text not null default 'keep' check (on_calendar_move in ('follow', 'keep')),
  add column on_calendar_delete text not null default 'keep' check (on_calendar_delete in ('cancel', 'keep'));
alter table staff alter column on_calendar_move set default 'follow', alter column on_calendar_delete set default 'cancel';

-- when the event was first found gone, while the booking is to be cancelled if a second question finds it gone too
alter table bookings add column gone_at timestamptz,
  add constraint bookings_gone_check check (gone_at is null or (state = 'confirmed' and hand = 'deleted'));
create index bookings_gone on bookings (staff_id, gone_at) where gone_at is not null;
