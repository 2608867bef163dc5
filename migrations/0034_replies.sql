-- Replies: messages that are not templates, allowed for 24 hours after the person wrote. They are in no send.

-- 0 template 1 reply
alter table messages add column kind smallint not null default 0;
-- the platform's id of the recipient, if the message is addressed by it; phone is null then
alter table messages add column user_id text;
alter table messages alter column send_id drop not null;
alter table messages alter column template_id drop not null;
alter table messages alter column phone drop not null;
-- not validated: existing rows have all of these, and reading them would take minutes
alter table messages add constraint messages_kind check (case kind
  when 0 then send_id is not null and template_id is not null and phone is not null and user_id is null
  when 1 then send_id is null and template_id is null and (phone is null) <> (user_id is null) end) not valid;

-- messages that are addressed by user id, for the history of a contact: an index of messages would be built over all of them
create table user_id_messages (
  account_id uuid not null,
  user_id text not null,
  message_id uuid not null,
  primary key (account_id, user_id, message_id)
);
