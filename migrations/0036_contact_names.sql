-- contact_windows alone has the times of messages: a known person who writes again changes one row.

-- the platform's time of the message that last wrote the names
alter table contacts rename column last_received_at to named_at;
