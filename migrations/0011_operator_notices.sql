-- What running processes noticed and the command "doctor" reports; one row a subject.
create table operator_notices (
  subject text primary key,
  -- what was seen, in a few words
  detail text not null,
  seen_at timestamptz not null
);
