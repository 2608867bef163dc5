// The dashboard in a browser: bytes and times over a slow line, memory during live updates, lists with few and very many messages.
import type { Page } from 'playwright-core';
import { type Account, type BenchFixture, type Numbers, startBenchFixture } from '../bench-fixture.ts';
import { readConditions, reportConditions } from '../conditions.ts';
import { buildDashboard, openViewer, type Viewer } from '../dashboard-browser.ts';
import { measureLists } from '../dashboard-lists.ts';
import { measureLive } from '../dashboard-live.ts';
import { firstPageMaxBytes, mainPages, measureOpenings } from '../dashboard-opening.ts';
import { showLists, showLive, showOpenings } from '../dashboard-tables.ts';
import { sendUpdates, startCampaign } from '../dashboard-updates.ts';
import { fillHistory } from '../history-filling.ts';
import { progress, saveFigures } from '../print.ts';
import { addStaff, fillBookings } from '../staff.ts';
import { workload } from '../workload.ts';

const parts = ['pages', 'memory', 'lists'] as const;
const dayMs = 86_400_000;
/** Pages of recipients that are loaded before the updates begin. */
const loadedPages = 10;
/** The oldest messages, which the filters of the lists find last. */
const rare = 200;

interface Place {
  fixture: BenchFixture;
  account: Account;
  numbers: Numbers;
  viewer: Viewer;
  endpointIds: { common: string; rare: string };
}

/** An account in which every main page has something to show. */
async function prepare(fixture: BenchFixture, few: number): Promise<Omit<Place, 'viewer'>> {
  const account = await fixture.account('Bench');
  const numbers = await fixture.numbers(account, 2);
  await fixture.endpoint(account, 'bench');
  await fixture.endpoint(account, 'rare');
  const { items } = await account.client.listEndpoints({ limit: 10 });
  const idOf = (hook: string) => items.find(({ url }) => url.endsWith(hook))?._id ?? '';
  const endpointIds = { common: idOf('bench'), rare: idOf('rare') };
  const now = Date.now();
  const staff = await addStaff(fixture, account);
  await fillBookings(fixture, account, staff, new Date(now - dayMs), 24);
  await fillHistory(fixture, account, numbers, {
    ...{ first: 0, to: few, fromAt: new Date(now - 3_600_000), toAt: new Date(now), rare: 0 },
    ...{ endpointId: endpointIds.common, rareEndpointId: endpointIds.rare },
  });
  return { fixture, account, numbers, endpointIds };
}

/** The pages that stay open. */
async function livePages(place: Place, recipients: number) {
  const sendId = await startCampaign(place, recipients);
  await place.account.client.startSend({ sendId });
  const more = async (page: Page) => {
    const button = page.locator('.table-foot button').last();
    for (let loaded = 1; loaded < loadedPages; loaded++) {
      await button.click();
      await page
        .locator('#main tbody tr')
        .nth(loaded * 25)
        .waitFor();
    }
  };
  const watched = ['/', '/messages', '/conversations', '/webhooks/deliveries'] as const;
  return [
    ...watched.map((path) => ({
      path,
      selector: path === '/webhooks/deliveries' ? '#main tbody tr' : mainPages[path],
    })),
    { path: `/sends/${sendId}`, selector: '#main tbody tr', prepare: more },
  ];
}

/** With the values of the same part in proportion to their median, so that parts can be compared. */
const inProportion = (values: number[]): number[] => {
  const middle = values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 1;
  return values.map((value) => value / middle);
};

export default workload({
  about:
    'The dashboard in a browser: bytes and times over a slow line, memory during live updates, lists with few and very many messages.',
  options: {
    parts: { default: 'pages,memory,lists', about: 'which parts run' },
    rounds: { default: 3, about: 'repetitions of each page and list' },
    kilobits: { default: 1_600, about: 'kilobits per second of the slow line' },
    latency: { default: 150, about: 'milliseconds of the slow line' },
    cpu: { default: 4, about: 'how many times slower the browser is over the slow line' },
    minutes: { default: 1, about: 'length of the live updates (an hour: 60)' },
    perSecond: { default: 100, about: 'messages per second of the live updates' },
    few: { default: 1_000, about: 'messages in the first measurement of the lists' },
    messages: {
      default: 100_000,
      about: 'messages in the second (for real figures: 1,000,000 to 10,000,000)',
    },
  },
  async run(options) {
    const chosen = options.parts.split(',');
    const unknown = chosen.find((part) => !parts.some((one) => one === part));
    if (unknown !== undefined) throw new Error(`--parts is "${unknown}"; choose of ${parts.join(', ')}.`);
    const before = readConditions();
    buildDashboard();
    const fixture = await startBenchFixture();
    let viewer: Viewer | undefined;
    try {
      const prepared = await prepare(fixture, options.few);
      viewer = await openViewer(fixture, prepared.account);
      const place: Place = { ...prepared, viewer };
      const { url } = fixture.gateway;
      const baseline: number[] = [];
      const figures: Record<string, unknown> = {};
      const flaws: string[] = [];
      if (chosen.includes('pages')) {
        await startCampaign(place, 50);
        const slowness = {
          kilobitsPerSecond: options.kilobits,
          latencyMs: options.latency,
          cpu: options.cpu,
        };
        const opened = await measureOpenings(
          viewer,
          { url, apiKey: place.account.apiKey },
          { rounds: options.rounds, slowness },
        );
        showOpenings(opened);
        baseline.push(...inProportion(opened.bareMs));
        figures.pages = opened;
        const first = opened.openings.find(({ page }) => page === '/')?.firstBytes ?? Number.NaN;
        if (!(first <= firstPageMaxBytes))
          flaws.push(`the first page has ${first} bytes with gzip, more than ${firstPageMaxBytes}`);
      }
      if (chosen.includes('lists')) {
        const values = {
          commonTemplateId: place.numbers.templateIds.order_update ?? '',
          rareTemplateId: place.numbers.templateIds.login_code ?? '',
          rareEndpointId: place.endpointIds.rare,
        };
        const few = await measureLists(viewer, url, { ...values, from: 0, to: options.few }, options.rounds);
        progress(`${options.messages} messages`);
        const now = Date.now();
        await fillHistory(fixture, place.account, place.numbers, {
          ...{ first: options.few, to: options.messages, rare },
          ...{ fromAt: new Date(now - 31 * dayMs), toAt: new Date(now - 2 * 3_600_000) },
          ...{ endpointId: place.endpointIds.common, rareEndpointId: place.endpointIds.rare },
        });
        const range = { from: options.few, to: options.messages };
        const many = await measureLists(viewer, url, { ...values, ...range }, options.rounds);
        showLists(
          few,
          many,
          [options.few, options.messages].map((count) => count.toLocaleString('en')),
        );
        figures.lists = { few, many };
      }
      if (chosen.includes('memory')) {
        const seconds = options.minutes * 60;
        const pages = await livePages(place, Math.max(1_000, 20 * seconds));
        const updates = () => sendUpdates(place, options.perSecond, seconds);
        const live = await measureLive(viewer, url, pages, {
          updates,
          everySeconds: Math.max(2, Math.min(60, seconds / 30)),
        });
        showLive(live, options.perSecond);
        figures.memory = live;
      }
      if (viewer.problems.length > 0)
        throw new Error(`The pages had problems: ${viewer.problems.join('; ')}`);
      saveFigures('dashboard', options, figures);
      const computed = inProportion([before.clockMs, readConditions().clockMs]);
      reportConditions(before, baseline.length > 0 ? baseline : computed);
      for (const flaw of flaws) {
        console.log(`  NOT A GOOD RUN: ${flaw}.`);
        process.exitCode = 1;
      }
    } finally {
      await viewer?.close();
      await fixture.close();
    }
  },
});
