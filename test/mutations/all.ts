// Every mutation of list/, in the order of its files.
import { readdirSync } from 'node:fs';
import type { Mutation } from './mutation.ts';

const folder = new URL('./list/', import.meta.url);

/** Reads the list; throws if a file exports no `mutations`. */
export async function allMutations(): Promise<Mutation[]> {
  const lists: Mutation[][] = [];
  for (const name of readdirSync(folder).sort()) {
    const { mutations } = (await import(new URL(name, folder).href)) as { mutations?: Mutation[] };
    if (!mutations) throw new Error(`test/mutations/list/${name} exports no "mutations".`);
    lists.push(mutations);
  }
  return lists.flat();
}
