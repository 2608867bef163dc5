-- The same file uploaded again within a day.

-- the number that the upload named; null: it named none
alter table media add column named_sender_id uuid;
create index media_same on media (account_id, sha256) where state = 'ready';
