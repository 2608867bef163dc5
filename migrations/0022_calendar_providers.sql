-- A new calendar adapter needs no migration: the gateway knows which providers it has.
alter table calendar_connections drop constraint calendar_connections_provider_check;
