// The finding of "doctor" about settings of the database server that put commits at risk.
import { type Durability, durabilityProblems } from '../db/durability.ts';
import { type Found, note, ok } from './finding.ts';

/** `server`: the settings as the gateway's own sessions see them. */
export function durabilityFinding(server: Durability): Found {
  const problems = durabilityProblems(server);
  return problems.length === 0
    ? ok('the settings of the database server keep what was committed')
    : note(problems.join('\n'), 'Change these settings of the server, its database and its role.');
}
