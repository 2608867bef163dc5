-- Deleting a template while nothing is sent of it.

-- until when whoever deletes the template at the platform may take; readings leave its row alone meanwhile
alter table templates add column deleting_until timestamptz;
