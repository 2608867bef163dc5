// Secrets of the settings in files: NAME_FILE, as for Docker's secrets, and the credentials of a systemd service.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SecretFiles {
  /** Only of names whose value is in a file. */
  values: Record<string, string>;
  /** What is wrong, one line each. */
  problems: string[];
}

/**
 * Reads the values of `names` that are in files. A variable with the value itself takes precedence over a credential;
 * together with NAME_FILE it is a problem, because one of the two would be ignored. Credentials: systemd.exec(5),
 * LoadCredential and CREDENTIALS_DIRECTORY.
 */
export function readSecretFiles(
  names: readonly string[],
  env: Record<string, string | undefined>,
): SecretFiles {
  const found: SecretFiles = { values: {}, problems: [] };
  for (const name of names) {
    const path = nonEmpty(env[`${name}_FILE`]);
    const hasValue = nonEmpty(env[name]) !== undefined;
    if (path !== undefined && hasValue)
      found.problems.push(`${name} and ${name}_FILE are both set. Set one of them.`);
    else if (path !== undefined) readValue(found, name, path, `${name}_FILE`);
    else if (!hasValue && env.CREDENTIALS_DIRECTORY)
      readValue(found, name, join(env.CREDENTIALS_DIRECTORY, name), undefined);
  }
  return found;
}

const nonEmpty = (text: string | undefined) => (text === undefined || text.trim() === '' ? undefined : text);

/** `required`: the setting that names the file; undefined: a missing file is no problem. */
function readValue(found: SecretFiles, name: string, path: string, required: string | undefined): void {
  try {
    const value = readFileSync(path, 'utf8').trim();
    if (value !== '') found.values[name] = value;
    else if (required !== undefined) found.problems.push(`${required}: the file ${path} is empty.`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (required === undefined && code === 'ENOENT') return;
    found.problems.push(`${required ?? name}: the file ${path} cannot be read (${code}).`);
  }
}
