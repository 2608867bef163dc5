// Which mutations to run: by a part of their name or file, and by what changed since a Git ref.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { allMutations } from './all.ts';
import type { Mutation } from './mutation.ts';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * The mutations whose name or file contains `only`, and of which the file, a test or the list changed since the ref `changed`. Throws if none has the
 * text.
 */
export async function chooseMutations(only = '', changed?: string): Promise<Mutation[]> {
  const all = (await allMutations()).filter(({ name, file }) => name.includes(only) || file.includes(only));
  if (only !== '' && all.length === 0) throw new Error(`No mutation's name or file contains "${only}".`);
  if (changed === undefined) return all;
  const files = new Set(changedSince(changed));
  const listChanged = [...files].some((file) => file.startsWith('test/mutations/list/'));
  const unchanged = listChanged ? namesAt(changed) : undefined;
  return all.filter(
    ({ name, file, tests }) =>
      files.has(file) || tests.some((test) => files.has(test)) || unchanged?.has(name) === false,
  );
}

const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' });

/** Files that differ from the ref, from the checkout's root, whether committed or not. */
function changedSince(ref: string): string[] {
  const base = git('merge-base', ref, 'HEAD').trim();
  return git('diff', '--name-only', base).split('\n').filter(Boolean);
}

/** The text of the lists at the ref, asked for names: a mutation that is not in it is new. */
function namesAt(ref: string): { has(name: string): boolean } {
  const base = git('merge-base', ref, 'HEAD').trim();
  const paths = git('ls-tree', '-r', '--name-only', base, 'test/mutations/list/').split('\n').filter(Boolean);
  const lists = paths.map((path) => git('show', `${base}:${path}`)).join('\n');
  return { has: (name) => lists.includes(name) };
}
