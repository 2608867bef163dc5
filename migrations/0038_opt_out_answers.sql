-- Automatic answers to stop and start words.

-- null: no answer
alter table opt_out_settings add column reply_stop text;
alter table opt_out_settings add column reply_start text;
-- when the person was answered last: once a day at most
alter table opt_outs add column answered_at timestamptz;
