// DNS look-ups: concurrent callers share one, and slow names do not delay others.
import { expect, test, vi } from 'vitest';
import { type HostAddress, limitLookups } from '../../src/base/outgoing/lookup.ts';

/** A resolver with results given by the test. */
function held() {
  const open: { hostname: string; answer(addresses?: HostAddress[]): void; fail(): void }[] = [];
  const resolve = (hostname: string) =>
    new Promise<HostAddress[]>((give, refuse) => {
      const end = () =>
        open.splice(
          open.findIndex((one) => one.answer === answer),
          1,
        );
      const answer = (addresses: HostAddress[] = []) => {
        end();
        give(addresses);
      };
      open.push({
        hostname,
        answer,
        fail: () => {
          end();
          refuse(new Error('no answer'));
        },
      });
    });
  return { open, resolve, pendingNames: () => open.map(({ hostname }) => hostname) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('concurrent look-ups of a name share one result, and later ones look it up again', async () => {
  const { open, resolve, pendingNames } = held();
  const lookup = limitLookups(resolve);
  const both = [lookup('a.test'), lookup('a.test')];
  expect(pendingNames()).toEqual(['a.test']);
  open[0]?.answer([{ address: '192.0.2.1', family: 4 }]);
  expect(await Promise.all(both)).toEqual([
    [{ address: '192.0.2.1', family: 4 }],
    [{ address: '192.0.2.1', family: 4 }],
  ]);
  const again = lookup('a.test');
  expect(pendingNames()).toEqual(['a.test']);
  open[0]?.answer([{ address: '192.0.2.2', family: 4 }]);
  expect(await again).toEqual([{ address: '192.0.2.2', family: 4 }]);
});

test('names that were slow last time are looked up one after another, without delaying fast ones', async () => {
  const { open, resolve, pendingNames } = held();
  // treat every look-up as slow
  const limits = { slowMs: -1 };
  const lookup = limitLookups(resolve, limits);
  const names = ['x.test', 'y.test', 'z.test'];
  const first = Promise.allSettled(names.map(lookup));
  for (const name of names) {
    await vi.waitUntil(() => pendingNames().includes(name));
    open.find(({ hostname }) => hostname === name)?.fail();
  }
  await first;

  const second = names.map(lookup);
  await turn();
  expect(pendingNames()).toEqual(['x.test']);
  const quick = lookup('quick.test');
  expect(pendingNames()).toEqual(['x.test', 'quick.test']);
  open[1]?.answer();
  expect(await quick).toEqual([]);
  limits.slowMs = 60_000;
  for (const name of names) {
    await turn();
    expect(pendingNames()).toEqual([name]);
    open[0]?.answer();
    await turn();
  }
  await Promise.all(second);

  const third = names.map(lookup);
  expect(pendingNames(), 'quick again: no turns any more').toEqual(names);
  for (const one of [...open]) one.answer();
  await Promise.all(third);
});

test('new names are looked up two at a time, without delaying names that were fast', async () => {
  const { open, resolve, pendingNames } = held();
  const lookup = limitLookups(resolve);
  const known = lookup('known.test');
  open[0]?.answer();
  await known;

  const invented = ['a.test', 'b.test', 'c.test', 'd.test'].map(lookup);
  expect(pendingNames()).toEqual(['a.test', 'b.test']);
  const again = lookup('known.test');
  expect(pendingNames()).toEqual(['a.test', 'b.test', 'known.test']);
  open[2]?.answer();
  await again;
  open[0]?.fail();
  await expect(invented[0]).rejects.toThrow('no answer');
  await turn();
  expect(pendingNames()).toEqual(['b.test', 'c.test']);
  for (const one of [...open]) one.answer();
  await turn();
  expect(pendingNames()).toEqual(['d.test']);
  open[0]?.answer();
  await Promise.all(invented.slice(1));

  const later = ['e.test', 'f.test', 'g.test'].map(lookup);
  expect(pendingNames(), 'still two at a time').toEqual(['e.test', 'f.test']);
  while (open.length > 0) {
    open[0]?.answer();
    await turn();
  }
  await Promise.all(later);
});

test('names of a domain with many new ones take turns with others', async () => {
  const { open, resolve, pendingNames } = held();
  const lookup = limitLookups(resolve);
  const invented = ['a', 'b', 'c', 'd', 'e.f', 'g.f'].map((label) => `${label}.evil.test`);
  const all = [...invented, 'hooks.good.test', 'good.example', 'more.good.test'].map(lookup);
  const order: string[] = [];
  while (open.length > 0) {
    order.push(...pendingNames().filter((name) => !order.includes(name)));
    open[0]?.answer();
    await turn();
  }
  await Promise.all(all);
  const domains = order.map((name) => (name.endsWith('evil.test') ? 'evil' : name));
  expect(domains).toEqual([
    ...['evil', 'evil', 'evil', 'good.example', 'hooks.good.test'],
    ...['evil', 'more.good.test', 'evil', 'evil'],
  ]);
});

test('a name is not looked up after its callers gave up, unless somebody asked again', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const { open, resolve, pendingNames } = held();
    const lookup = limitLookups(resolve);
    const [a, b, abandoned, wanted] = ['a.test', 'b.test', 'abandoned.test', 'wanted.test'].map(lookup);
    vi.advanceTimersByTime(9_000);
    const again = lookup('wanted.test');
    vi.advanceTimersByTime(2_000);
    for (const one of [...open]) one.answer();
    await expect(abandoned).rejects.toMatchObject({ code: 'EAI_AGAIN' });
    await turn();
    expect(pendingNames()).toEqual(['wanted.test']);
    const once = lookup('abandoned.test');
    expect(pendingNames()).toEqual(['wanted.test', 'abandoned.test']);
    for (const one of [...open]) one.answer();
    await Promise.all([a, b, wanted, again, once]);
  } finally {
    vi.useRealTimers();
  }
});
