// The list of mutations fits the source: each can be applied, and names tests that exist.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { allMutations } from './all.ts';
import { chooseMutations } from './choose.ts';

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

test('every mutation changes one place of its file and names tests that exist', async () => {
  const wrong = (await allMutations()).flatMap(({ name, file, find, replace, tests }) => {
    const times = readFileSync(path(file), 'utf8').split(find).length - 1;
    return [
      ...(times === 1 ? [] : [`${name}: its text occurs ${times} times in ${file}`]),
      ...(find === replace ? [`${name}: changes nothing`] : []),
      ...(tests.length > 0 ? [] : [`${name}: names no test`]),
      ...tests.filter((one) => !existsSync(path(one))).map((one) => `${name}: there is no ${one}`),
    ];
  });
  expect(wrong).toEqual([]);
});

test('no two mutations have one name', async () => {
  const names = (await allMutations()).map(({ name }) => name);
  expect(names.length).toBeGreaterThan(0);
  expect(new Set(names).size).toBe(names.length);
});

test('mutations are chosen by a text, and by what changed since a ref', async () => {
  const [first] = await allMutations();
  expect(await chooseMutations(first?.name)).toEqual([first]);
  await expect(chooseMutations('no such text in any name')).rejects.toThrow('No mutation');
  // a copy of the checkout, as for a mutation, has no history
  if (!existsSync(path('.git'))) return;
  const changed = await chooseMutations('', 'HEAD');
  expect((await allMutations()).map(({ name }) => name)).toEqual(
    expect.arrayContaining(changed.map(({ name }) => name)),
  );
});
