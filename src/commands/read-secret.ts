// A secret that a command reads from a file or from standard input, so that it is in no list of processes and no shell history.
import { readFileSync } from 'node:fs';
import { CommandError } from './exit-codes.ts';

/** Reads the secret of an option; `-` is standard input. Throws if there is none. */
export function readSecret(option: string, path: string): string {
  let text: string;
  try {
    text = readFileSync(path === '-' ? 0 : path, 'utf8').trim();
  } catch (error) {
    throw new CommandError('usage', `${option}: ${path} cannot be read: ${(error as Error).message}`);
  }
  if (text === '') throw new CommandError('usage', `${option}: ${path} is empty. Write the secret into it.`);
  return text;
}
