// How much the dashboard loads and how long it takes over a slow line: signing in, the first page, and every main page.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import {
  observe,
  type PageRequest,
  type Throttle,
  usefulMs,
  type Viewer,
  type Visit,
  visit,
} from './dashboard-browser.ts';
import { median } from './percentiles.ts';
import { progress } from './print.ts';

/** The main pages, and what is there once a page shows its data. */
export const mainPages = {
  '/': '.tiles',
  '/messages': '#main tbody tr',
  '/conversations': '.person',
  '/sends': '#main tbody tr',
  '/templates': '#main tbody tr',
  '/appointments': '.grid-body .block-place',
  '/users': '#main tbody tr',
  '/senders': '#main tbody tr',
  '/webhooks': '#main tbody tr',
  '/keys': '#main tbody tr',
  '/audit': '#main tbody tr',
  '/settings': '#main select',
} as const;

/** The most that the page, its scripts and styles may take until the first page is useful, compressed with gzip. */
export const firstPageMaxBytes = 150_000;
const signInField = 'input[type=password]';

export interface Opening {
  page: string;
  requests: number;
  /** The page, its scripts and styles until it is useful, compressed with gzip. */
  firstBytes: number;
  /** All of them, such as the code of charts; with gzip, and as browsers get them (Brotli). */
  gzipBytes: number;
  brotliBytes: number;
  /** Fonts, which are compressed already, and delay no text. */
  fontBytes: number;
  /** Responses of the API. */
  apiBytes: number;
  coldMs: number;
  /** With the files in the browser's cache; undefined where it was not measured. */
  cachedMs?: number;
}

/** Bytes of the files of the dashboard, by address and encoding. */
function openSizes() {
  const sizes = new Map<string, Promise<number>>();
  async function read(url: string, encoding: string): Promise<number> {
    const { body } = await request(url, { headers: { 'accept-encoding': encoding } });
    return (await body.arrayBuffer()).byteLength;
  }
  return (url: string, encoding: string): Promise<number> => {
    const key = `${encoding} ${url}`;
    const known = sizes.get(key) ?? read(url, encoding);
    sizes.set(key, known);
    return known;
  };
}
type SizeOf = ReturnType<typeof openSizes>;

/** Adds up what a page asked for; the first `begun` of the requests began before it was useful. */
async function sumOf(requests: readonly PageRequest[], begun: number, sizeOf: SizeOf) {
  const isStream = ({ type }: PageRequest) => type === 'EventSource';
  const isApi = ({ url }: PageRequest) => new URL(url).pathname.startsWith('/v1/');
  const isFile = (one: PageRequest) => !isApi(one) && one.url.startsWith('http') && one.type !== 'Font';
  const files = requests.filter(isFile);
  const add = async (encoding: string, of: readonly PageRequest[]) =>
    (await Promise.all(of.map(({ url }) => sizeOf(url, encoding)))).reduce((sum, bytes) => sum + bytes, 0);
  return {
    requests: requests.filter((one) => !isStream(one)).length,
    firstBytes: await add('gzip', requests.slice(0, begun).filter(isFile)),
    gzipBytes: await add('gzip', files),
    brotliBytes: await add('br', files),
    fontBytes: await add(
      'identity',
      requests.filter(({ type }) => type === 'Font'),
    ),
    apiBytes: requests
      .filter((one) => isApi(one) && !isStream(one))
      .reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** A bare page whose script has as many bytes as the first page: what the line itself takes. */
async function startBarePage(bytes: number): Promise<{ url: string; close: () => void }> {
  const script = `/*${'x'.repeat(Math.max(0, bytes))}*/document.body.append(document.createElement('main'))`;
  const server = createServer(({ url }, response) => {
    if (url === '/all.js') response.setHeader('content-type', 'text/javascript').end(script);
    else
      response
        .setHeader('content-type', 'text/html')
        .end('<!doctype html><title>bare</title><body><script src="/all.js"></script>');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}

/** Signing in with a key, from the empty browser to the first page. */
async function signInOnce(viewer: Viewer, url: string, apiKey: string, slowness: Throttle) {
  const context = await viewer.context({ isSignedOut: true });
  const { page, requests, begun, usefulMs: formMs } = await visit(context, `${url}/`, signInField, slowness);
  await page.waitForLoadState('load');
  await page.locator(signInField).fill(apiKey);
  const before = requests.length;
  await page.evaluate(observe(mainPages['/'], 'submit'));
  await page.keyboard.press('Enter');
  const homeMs = await usefulMs(page);
  const homeBegun = requests.length;
  await page.waitForLoadState('load');
  await context.close();
  return { form: requests.slice(0, before), all: requests, begun, homeBegun, formMs, homeMs };
}

export interface OpeningFigures {
  openings: Opening[];
  /** The bare page of the same bytes, in each round. */
  bareMs: number[];
}

/** Opens every main page `rounds` times with an empty cache and once more with a full one. */
export async function measureOpenings(
  viewer: Viewer,
  { url, apiKey }: { url: string; apiKey: string },
  { rounds, slowness }: { rounds: number; slowness: Throttle },
): Promise<OpeningFigures> {
  const sizeOf = openSizes();
  progress('signing in over the slow line');
  const signIns = [];
  for (let round = 0; round < rounds; round++) signIns.push(await signInOnce(viewer, url, apiKey, slowness));
  const [first] = signIns;
  if (!first) throw new Error('--rounds must be 1 or more.');
  const whole = await sumOf(first.all, first.homeBegun, sizeOf);
  const openings: Opening[] = [
    {
      page: 'sign-in form',
      ...(await sumOf(first.form, first.begun, sizeOf)),
      coldMs: median(signIns.map(({ formMs }) => formMs)),
    },
    { page: 'home, from the key entered', ...whole, coldMs: median(signIns.map(({ homeMs }) => homeMs)) },
  ];
  const bare = await startBarePage(whole.brotliBytes + whole.fontBytes + whole.apiBytes);
  const bareMs: number[] = [];
  const baseline = async () => {
    const context = await viewer.context({ isSignedOut: true });
    bareMs.push((await visit(context, bare.url, 'main', slowness)).usefulMs);
    await context.close();
  };
  for (const [path, selector] of Object.entries(mainPages)) {
    progress(`${path} over the slow line`);
    const cold: number[] = [];
    const cached: number[] = [];
    let last: Visit | undefined;
    for (let round = 0; round < rounds; round++) {
      const context = await viewer.context();
      const opened = await visit(context, `${url}${path}`, selector, slowness);
      await opened.page.waitForLoadState('load');
      last = opened;
      cold.push(opened.usefulMs);
      await opened.page.close();
      cached.push((await visit(context, `${url}${path}`, selector, slowness)).usefulMs);
      await context.close();
    }
    await baseline();
    const sums = await sumOf(last?.requests ?? [], last?.begun ?? 0, sizeOf);
    openings.push({ page: path, ...sums, coldMs: median(cold), cachedMs: median(cached) });
  }
  bare.close();
  return { openings, bareMs };
}
