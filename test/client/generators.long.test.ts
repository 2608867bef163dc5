// Clients from third-party generators: each compiles with strict types and calls a gateway.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { installPackages } from '../harness/registry-packages.ts';
import { type Generator, generators } from './generators.ts';

vi.setConfig({ testTimeout: 400_000 });

let gateway: Gateway;
let folder: string;
let templateId: string;

beforeAll(async () => {
  gateway = await startGateway();
  const components = [{ type: 'BODY', text: 'Hi {{1}}' }];
  const template = { name: 'hello', language: 'en_US', category: 'UTILITY', components };
  ({
    templateIds: { hello: templateId = '' },
  } = await addSender(gateway, [template as never]));
  folder = mkdtempSync(join(tmpdir(), 'generators-'));
});
afterAll(async () => {
  await gateway?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const compilerOptions = {
  strict: true,
  module: 'esnext',
  moduleResolution: 'bundler',
  target: 'es2022',
  lib: ['es2023', 'dom', 'dom.iterable'],
  skipLibCheck: true,
  noEmit: true,
};

/** A program that sends one message with the generated client, and prints how many were accepted. */
const program = ({
  use,
}: Generator) => `const [baseUrl = '', apiKey = '', templateId = ''] = process.argv.slice(2);
const body = { templateId, recipients: [{ phone: '15551234567', variables: { '1': 'Ada' } }] };
${use}
console.log(accepted);
export {};
`;

test.each(generators)('$packages.0: compiles, and its client sends a message', async (generator) => {
  const [name = ''] = generator.packages;
  const modules = await installPackages(generator.packages, `the generator ${name}`);
  if (!modules) return;
  const cwd = mkdtempSync(join(folder, 'client-'));
  symlinkSync(modules, join(cwd, 'node_modules'));
  const files = {
    ...generator.files,
    'package.json': '{"type":"module"}',
    'openapi.json': (await gateway.call('GET', '/openapi.json', { key: null })).text,
    'tsconfig.json': JSON.stringify({ compilerOptions, include: ['use.ts', 'out', 'out.ts'] }),
    'use.ts': program(generator),
  };
  for (const [path, text] of Object.entries(files)) writeFileSync(join(cwd, path), text);
  const env = { PATH: process.env.PATH, HOME: cwd, BASE_URL: gateway.url, DO_NOT_TRACK: '1' };
  const run = (program: string, ...args: string[]) =>
    promisify(execFile)(join(modules, '.bin', program), args, { cwd, env, maxBuffer: 1 << 26 });
  const [command, ...args] = generator.command;
  await run(command, ...args);
  expect(existsSync(join(cwd, 'out')) || existsSync(join(cwd, 'out.ts'))).toBe(true);
  const compiled = await run('tsc', '-p', '.').catch((error) => error);
  expect(compiled.stdout).toBe('');
  const { stdout } = await run('bun', 'use.ts', gateway.url, gateway.apiKey, templateId);
  expect(stdout).toBe('1\n');
});
