-- Whether a booking's calendar invites the guest, which its response and its event say.
-- kind: expand

-- false: nobody does; null: not known, because the provider does not tell, or the booking is not confirmed or is older than this column
alter table bookings add column guest_invited boolean;
