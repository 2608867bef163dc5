// The secret that `listen` signs with: of a file, which is written if it does not exist, or one for this run.
import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { secretProblem } from '../webhooks/endpoints/sign.ts';
import { CommandError } from './exit-codes.ts';
import { readSecret } from './read-secret.ts';

/** Returns the secret. Throws if the file's text cannot be a secret. */
export function listenSecret(file: string | undefined): string {
  if (file !== undefined && existsSync(file)) {
    const secret = readSecret('--secret-file', file);
    const problem = secretProblem(secret);
    if (problem === undefined) return secret;
    throw new CommandError('usage', `--secret-file: the secret in ${file} ${problem}.`);
  }
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  if (file !== undefined) writeFileSync(file, `${secret}\n`, { mode: 0o600, flag: 'wx' });
  return secret;
}
