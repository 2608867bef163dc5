-- Staff who share a calendar share its time: the database refuses overlaps by calendar as well as by staff.

-- Identifies a calendar, the same for everybody who is connected to it: the first 128 bits of the SHA-256 of
-- 'google:' and the calendar's id, or 'caldav:' and its normalized address and account. Null: not known.
alter table calendar_connections add column calendar_key uuid;
-- the calendar that the event is in; null: the booking lives in the gateway alone, or the calendar is not known
alter table bookings add column calendar_key uuid;
-- null: refused by staff member alone
alter table occupancies add column calendar_key uuid;

-- The same form as in src/adapters/caldav/identity.ts: ASCII characters decoded, all else in upper-case percent encoding.
create function percent_normalized(path text) returns text language plpgsql immutable as $$
declare
  found text;
  code integer;
begin
  for found in select distinct m[1] from regexp_matches(path, '%([0-9A-Fa-f]{2})', 'g') m loop
    code := ('x' || found)::bit(8)::integer;
    -- % and / mean something else once they are decoded
    path := replace(path, '%' || found, case when code between 33 and 126 and code not in (37, 47)
      then chr(code) else '%' || upper(found) end);
  end loop;
  return path;
end $$;

update calendar_connections set calendar_key = substr(encode(sha256(convert_to(case provider
    when 'google' then 'google:' || lower(case calendar_id when 'primary' then account_email else calendar_id end)
    else 'caldav:' || regexp_replace(lower(substring(calendar_id from '^https?://(?:[^/@]*@)?([^/?#]+)')), ':(80|443)$', '')
      || regexp_replace(percent_normalized(substring(calendar_id from '^https?://[^/?#]+([^?#]*)')), '/*$', '/')
      || '#' || lower(coalesce(account_email, ''))
  end, 'UTF8')), 'hex'), 1, 32)::uuid;

drop function percent_normalized;

-- What was booked before this connection was made may be in another calendar of the same name (every Google calendar is
-- 'primary'): it counts as taken here, and that is all.
update bookings b set calendar_key = c.calendar_key from calendar_connections c
where c.staff_id = b.staff_id and c.provider = b.provider and c.calendar_id = b.calendar_id
  and b.state in ('held', 'confirmed', 'undoing') and b.created_at >= c.connected_at;
update occupancies o set calendar_key = c.calendar_key from bookings b join calendar_connections c using (staff_id)
where b.id = o.booking_id and c.provider = b.provider and c.calendar_id = b.calendar_id;
-- Bookings of several staff members that overlap in a shared calendar already stay: the one that was made first keeps the
-- calendar's key, the others are kept apart by staff member alone. Their events make the calendar busy all the same.
update occupancies o set calendar_key = null
where calendar_key is not null and exists (
  select from occupancies earlier where earlier.calendar_key = o.calendar_key and earlier.booking_id < o.booking_id
    and earlier.during && o.during);

alter table occupancies add constraint occupancies_calendar_apart exclude using gist
  (calendar_key with =, booking_id with <>, during with &&);
create index calendar_connections_shared on calendar_connections (calendar_key);
