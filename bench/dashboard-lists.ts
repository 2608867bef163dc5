// The time from a click to the rows of a list, in the browser.
import type { Page } from 'playwright-core';
import { type Viewer, visit } from './dashboard-browser.ts';
import { phoneOf } from './history-filling.ts';
import { type Spread, spread } from './percentiles.ts';
import { progress } from './print.ts';

/** A list: the page before, what a viewer does there, and the rows that must appear. */
interface ListKind {
  name: string;
  from: string;
  /** There before the click. */
  ready: string;
  /** A script that clicks. */
  act: string;
  /** The new rows. */
  rows: string;
  /** The page may say that there are none. */
  mayBeEmpty?: boolean;
}

const quoted = (value: string) => JSON.stringify(value);
const link = (href: string) => `document.querySelector('.nav-link[href=${quoted(href)}]').click()`;
const chip = (index: number) => `document.querySelectorAll('fieldset.chips .chip')[${index}].click()`;
const search = (typed: string) =>
  `{ const field = document.querySelector('.search input'); field.value = ${quoted(typed)}; field.form.requestSubmit(); }`;
const choose = (value: string) => `{
  const field = document.querySelector('#main select:has(option[value="${value}"])');
  field.value = ${quoted(value)};
  field.dispatchEvent(new Event('change', { bubbles: true }));
}`;
const older = `document.querySelector('.table-foot button').click()`;
const tableRows = '#main tbody tr';
const allDeliveries = '#main a[href="/webhooks/deliveries"]';

export interface ListValues {
  /** Numbers of messages that exist. */
  from: number;
  to: number;
  commonTemplateId: string;
  rareTemplateId: string;
  rareEndpointId: string;
}

/** Every measured list; phones are different in each round. */
function listKinds(values: ListValues): (() => ListKind)[] {
  const { from, to, commonTemplateId, rareTemplateId, rareEndpointId } = values;
  const settings = { from: '/settings', ready: '#main select', rows: tableRows };
  const messages = {
    from: '/messages',
    ready: `#main:has(option[value="${commonTemplateId}"]):has(tbody tr)`,
    rows: tableRows,
  };
  const deliveries = {
    from: '/webhooks/deliveries',
    ready: `#main:has(option[value="${rareEndpointId}"]) .table-foot button`,
    rows: tableRows,
  };
  const kinds: ListKind[] = [
    { name: 'messages', ...settings, act: link('/messages') },
    { name: 'messages: next page', ...messages, ready: '.table-foot button', act: older },
    { name: 'messages of a state, one in ten', ...messages, act: chip(5) },
    { name: 'messages of a state, one in 1,000', ...messages, act: chip(7) },
    { name: 'messages of a template', ...messages, act: choose(commonTemplateId) },
    {
      ...{ name: 'messages of a template, the oldest 200', ...messages, act: choose(rareTemplateId) },
      mayBeEmpty: true,
    },
    { name: 'messages of the last 30 days', ...messages, act: choose('720') },
    { name: 'conversations', ...settings, act: link('/conversations'), rows: '.person' },
    {
      ...{ name: 'one conversation', from: '/conversations', ready: '.person', rows: '.thread li' },
      act: `document.querySelector('.person').click()`,
    },
    {
      ...{ name: 'deliveries', from: '/webhooks', ready: allDeliveries, rows: '#main:has(.chips) tbody tr' },
      act: `document.querySelector('${allDeliveries}').click()`,
    },
    { name: 'deliveries: next page', ...deliveries, act: older },
    {
      ...{ name: 'deliveries of an endpoint, the oldest 200', ...deliveries, act: choose(rareEndpointId) },
      mayBeEmpty: true,
    },
    { name: 'deliveries that are dead, the oldest', ...deliveries, act: chip(3), mayBeEmpty: true },
    { name: 'home', ...settings, act: link('/'), rows: '.tiles' },
  ];
  const byPhone = (): ListKind => ({
    ...{ name: 'messages to a phone', ...messages },
    act: search(phoneOf(from + Math.floor(Math.random() * (to - from)))),
  });
  return [byPhone, ...kinds.map((kind) => () => kind)];
}

/** Clicks, and returns the milliseconds until new rows are in the document, with how many there are. */
async function timeOf(page: Page, { act, rows, mayBeEmpty = false, name }: ListKind) {
  const result = await page
    .evaluate(`new Promise((done, failed) => {
    const rows = ${quoted(rows)};
    for (const row of document.querySelectorAll(rows)) row.dataset.seen = '';
    const fresh = () => [...document.querySelectorAll(rows)].filter((row) => row.dataset.seen === undefined);
    const isThere = () => fresh().length > 0 || (${mayBeEmpty} && document.querySelector('#main .empty'));
    const stop = setTimeout(() => failed(new Error('no rows after 30 s: ' + document.querySelector('#main')?.innerText.slice(0, 300))), 30_000);
    const began = performance.now();
    const look = () => {
      if (!isThere()) return;
      observer.disconnect();
      clearTimeout(stop);
      done({ ms: performance.now() - began, rows: fresh().length });
    };
    const observer = new MutationObserver(look);
    observer.observe(document, { subtree: true, childList: true });
    ${act}
  })`)
    .catch((error: Error) => {
      throw new Error(`${name}: ${error.message}`);
    });
  return result as { ms: number; rows: number };
}

export interface ListFigures {
  ms: Spread;
  /** Rows that appeared. */
  rows: number;
}

/** Measures every list `rounds` times, each on a page that was just loaded. */
export async function measureLists(
  viewer: Viewer,
  url: string,
  values: ListValues,
  rounds: number,
): Promise<Record<string, ListFigures>> {
  const context = await viewer.context();
  const figures: Record<string, ListFigures> = {};
  for (const kindOf of listKinds(values)) {
    const times: number[] = [];
    let rows = 0;
    const { name } = kindOf();
    progress(name);
    // the first fills the caches of the browser and the database
    for (let round = 0; round <= rounds; round++) {
      const kind = kindOf();
      const { page } = await visit(context, `${url}${kind.from}`, kind.ready);
      const one = await timeOf(page, kind);
      if (round > 0) times.push(one.ms);
      rows = one.rows;
      await page.close();
    }
    figures[name] = { ms: spread(times), rows };
  }
  await context.close();
  return figures;
}
