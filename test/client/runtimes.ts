// The JavaScript runtimes in which the packed client is tested, as npm packages.
import { execFile } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Writes the journey, and a program for each module format, to the directory of the packed client. */
export function writeJourney(folder: string): void {
  writeFileSync(
    join(folder, 'package.json'),
    '{"type":"module","dependencies":{"chatbot-gateway-client":"*"}}',
  );
  cpSync(new URL('journey.mjs', import.meta.url), join(folder, 'journey.mjs'));
  for (const [name, head] of Object.entries(entries)) writeFileSync(join(folder, name), `${head}${program}`);
}

const entries = {
  'journey-esm.mjs': `import * as client from 'chatbot-gateway-client';
import * as webhooks from 'chatbot-gateway-client/webhooks';
import { journey } from './journey.mjs';
`,
  'journey-cjs.cjs': `const client = require('chatbot-gateway-client');
const webhooks = require('chatbot-gateway-client/webhooks');
const journey = async (...args) => (await import('./journey.mjs')).journey(...args);
`,
};
const program = `journey(client, webhooks, JSON.parse(process.argv[2])).then((seen) => console.log(JSON.stringify(seen)));
`;

export interface Runtime {
  name: string;
  /** Exact versions, as in the documents. */
  packages: readonly string[];
  /** Runs the journey in `folder`; returns its output. */
  run(modules: string, folder: string, input: string): Promise<string>;
}

const command =
  (program: string, ...args: string[]) =>
  async (modules: string, folder: string, input: string): Promise<string> => {
    const env = { PATH: process.env.PATH, HOME: folder, NO_COLOR: '1' };
    return (await run(join(modules, program), [...args, input], { cwd: folder, env })).stdout;
  };

/** A program for this project's Node that embeds the runtime and prints the journey's results. */
const host =
  (code: string) =>
  async (modules: string, folder: string, input: string): Promise<string> => {
    const file = join(modules, '..', 'host.mjs');
    writeFileSync(file, code);
    return (await run(process.execPath, [file, folder, input])).stdout;
  };

const workerdHost = `import { readdirSync, readFileSync } from 'node:fs';
import { Miniflare } from 'miniflare';
const [folder, input] = process.argv.slice(2);
const esm = 'node_modules/chatbot-gateway-client/esm';
const worker = "import * as client from './" + esm + "/client.js'; import { journey } from './journey.mjs';" +
  "export default { fetch: async (request) => Response.json(await journey(client, undefined, await request.json())) };";
const names = readdirSync(folder + '/' + esm).filter((name) => name.endsWith('.js') && name !== 'webhooks.js');
const module = (path) => ({ type: 'ESModule', path, contents: readFileSync(folder + '/' + path, 'utf8') });
const miniflare = new Miniflare({
  modulesRoot: '/',
  modules: [{ type: 'ESModule', path: 'worker.mjs', contents: worker }, module('journey.mjs'), ...names.map((name) => module(esm + '/' + name))],
  compatibilityDate: '2025-01-01',
});
const response = await miniflare.dispatchFetch('http://localhost/', { method: 'POST', body: input });
console.log(await response.text());
await miniflare.dispose();
`;

const edgeHost = `import { readdirSync, readFileSync } from 'node:fs';
import { EdgeRuntime } from 'edge-runtime';
const [folder, input] = process.argv.slice(2);
const cjs = folder + '/node_modules/chatbot-gateway-client/cjs/';
const names = readdirSync(cjs).filter((name) => name.endsWith('.js') && name !== 'webhooks.js');
const files = names.map((name) => JSON.stringify('./' + name) + ': (exports, require) => {' + readFileSync(cjs + name, 'utf8') + '}');
const journey = readFileSync(folder + '/journey.mjs', 'utf8').replace('export async', 'async');
const runtime = new EdgeRuntime();
const seen = await runtime.evaluate(
  'const files = {' + files.join(',') + '}; const loaded = {};' +
  'const require = (name) => { if (!loaded[name]) { loaded[name] = {}; files[name](loaded[name], require); } return loaded[name]; };' +
  journey + '; journey(require("./client.js"), undefined, ' + input + ').then((seen) => JSON.stringify(seen))');
console.log(seen);
`;

export const runtimes: readonly Runtime[] = [
  { name: 'Node 18, ES modules', packages: ['node@18.20.8'], run: command('.bin/node', 'journey-esm.mjs') },
  { name: 'Node 18, CommonJS', packages: ['node@18.20.8'], run: command('.bin/node', 'journey-cjs.cjs') },
  { name: 'Bun', packages: ['bun@1.4.5'], run: command('.bin/bun', 'journey-esm.mjs') },
  {
    name: 'Deno',
    packages: ['deno@2.9.6'],
    run: command('.bin/deno', 'run', '--no-prompt', '--allow-net', 'journey-esm.mjs'),
  },
  { name: 'workerd', packages: ['miniflare@4.20260426.0'], run: host(workerdHost) },
  { name: 'edge-runtime', packages: ['edge-runtime@4.0.1'], run: host(edgeHost) },
];
