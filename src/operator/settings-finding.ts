// The finding about the settings: what they say, and names that are probably misspelt. Pure.
import type { Config } from '../config.ts';
import { type Found, note, ok } from './finding.ts';

/** A note if a variable is almost named like a setting, which therefore has no effect. */
export function settingsFinding({
  dataDir,
  role,
  misspelt,
}: Pick<Config, 'dataDir' | 'role' | 'misspelt'>): Found {
  const said = `data in ${dataDir}, role ${role}`;
  if (misspelt.length === 0) return ok(said);
  const names = misspelt.map(({ name, setting }) => `${name} (${setting}?)`).join(', ');
  return note(
    `${said}; not a setting: ${names}`,
    'Correct these names, or remove the variables: .env.example lists all settings.',
  );
}
