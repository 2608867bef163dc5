// The platform's list of templates: every page, within limits.
import { expect, test } from 'vitest';
import { readTemplateList } from '../../src/messaging/templates/read-list.ts';
import type { PlatformTemplate, SenderAccess } from '../../src/ports/platform.ts';

const access = {} as SenderAccess;
const templates = (count: number, text = '') =>
  Array.from({ length: count }, (_, n) => ({ name: `t${n}`, text }) as unknown as PlatformTemplate);

/** Reads a list of pages, which ends after `pages` of them; returns how many were read. */
async function read(pages: number, page: PlatformTemplate[]) {
  let calls = 0;
  const listTemplates = async () => {
    calls += 1;
    return { templates: page, after: calls < pages ? `${calls}` : undefined };
  };
  const result = await readTemplateList({ platform: { listTemplates } }, access).catch(
    (error: Error) => error.message,
  );
  return { calls, result: typeof result === 'string' ? result : result.templates.length };
}

test('reads every page', async () => {
  expect(await read(3, templates(100))).toEqual({ calls: 3, result: 300 });
});

test('stops at a list that does not end, and at one that would fill the memory', async () => {
  const endless = Number.POSITIVE_INFINITY;
  expect(await read(endless, templates(100))).toMatchObject({ result: 'the list of templates does not end' });
  expect(await read(endless, [])).toEqual({ calls: 1, result: 'the list of templates does not end' });
  const large = templates(1, 'a'.repeat(15_000_000));
  expect(await read(endless, large)).toEqual({ calls: 5, result: 'the list of templates is too large' });
});
