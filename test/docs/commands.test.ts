// The shell commands of the documents: each document's blocks run in order in one terminal, with a sandbox.
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Demo } from '../../demo/seed.ts';
import { cloudApiControl } from '../../sandbox/control.ts';
import { openProgram } from '../../src/command-line/program.ts';
import {
  type Block,
  readBlocks,
  readDocuments,
  readPrograms,
  readProjectFile,
} from '../harness/documents.ts';
import { freePort } from '../harness/free-port.ts';
import { openProgramFolder, type ProgramFolder } from '../harness/program.ts';
import { type Pasted, paste } from '../harness/terminal.ts';
import { elsewhere, elsewhereOf, shellBlocks } from './blocks.ts';

const languages = ['sh', 'text', 'json', 'csv', 'js', 'ts', 'python', 'php', 'java', 'go', 'ruby', 'ini'];
const nameOf = ({ path, line }: Block) => `${path}:${line}`;

describe('as written', () => {
  test('every block names its language, and commands are in blocks of sh', () => {
    const blocks = readBlocks();
    expect(blocks.filter(({ language }) => !languages.includes(language)).map(nameOf)).toEqual([]);
    const commands = /^\s*(?:\$ )?(?:npm|npx|node|curl|git|docker|psql|apt-get|systemctl|pip|pipx|sudo|cd) /m;
    const hidden = blocks.filter(({ language, code }) => language === 'text' && commands.test(code));
    expect(hidden.map(nameOf)).toEqual([]);
  });

  test.each(shellBlocks.map((block) => [nameOf(block), block] as const))(
    'parses, and has no comment: %s',
    (_name, { code }) => {
      execFileSync('bash', ['-n'], { input: code });
      // zsh, the shell of macOS, runs a pasted comment as a command and passes a trailing one as arguments
      expect(code.replaceAll(/'[^']*'/g, "''").match(/(^|\s)#.*/gm)).toBeNull();
    },
  );

  test('a block sets its variables, or an earlier one of its document does', () => {
    const unset = shellBlocks.flatMap((block) => {
      const before = shellBlocks.filter(({ path, line }) => path === block.path && line < block.line);
      const earlier = before.map(({ code }) => code).join('\n');
      const code = block.code.replaceAll(/'[^']*'/g, "''");
      return [...code.matchAll(/\$\{?([A-Z_]+)/g)]
        .filter(({ 1: name }) => !['PWD', 'HOME', 'PATH'].includes(name ?? ''))
        .filter(
          ({ 1: name, index }) =>
            !new RegExp(`(?:^|[\\s;])${name}=`).test(`${earlier}\n${code.slice(0, index)}`),
        )
        .map(([name]) => `${nameOf(block)} ${name}`);
    });
    expect(unset).toEqual([]);
  });

  test('every entry of the blocks that run elsewhere is one block', () => {
    const counts = elsewhere.map(({ path, contains }) => [
      contains,
      shellBlocks.filter((block) => block.path === path && block.code.includes(contains)).length,
    ]);
    expect(counts.filter(([, count]) => count !== 1)).toEqual([]);
  });

  test('every option that a document names exists', () => {
    const others =
      /^(help|omit|no-optional|(min|max)-semi-space-size|heap-growing-percent|expose-gc|follow-tags|allow-net|prefix|src-lang|lang|global|system|user-group|home-dir|shell|now|webroot|agree-tos|register-unsafely-without-email|detach|build|build-arg|rm)$/;
    const command = optionNames(openProgram());
    const scripts = ['test/faults/run.ts', 'test/faults/in-flight.ts', 'test/mutations/run.ts'].map(
      readProjectFile,
    );
    const options = [...scripts, readPrograms('bench/')]
      .flatMap((text) => [...text.matchAll(/\b(\w+): \{\s*(?:type|default):/g)])
      .map(([, name = '']) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
    const known = new Set([...command, ...options]);
    const unknown = readDocuments().flatMap(({ path, text }) =>
      [...text.matchAll(/(?<=^|[\s`(])--([a-z][a-z-]+)/gm)]
        .map(([, name = '']) => name)
        .filter((name) => !known.has(name) && !others.test(name))
        .map((name) => `${path}: --${name}`),
    );
    expect(unknown).toEqual([]);
  });
});

/** The long options of a command and those below it. */
function optionNames({ options, commands }: Command): string[] {
  const own = options.map(({ long }) => long?.slice(2) ?? '');
  return [...own, ...commands.flatMap(optionNames)];
}

describe('pasted with a running sandbox', () => {
  let workspace: ProgramFolder;
  let demo: Demo;
  let port: number;
  let replaced: [placeholder: string, value: string][];

  beforeAll(async () => {
    workspace = await openProgramFolder({ migrated: true });
    ({ demo } = await workspace.startDemo());
    port = await freePort();
    const platform = cloudApiControl(demo.sandbox.cloudApiUrl);
    const { apps, wabas } = await platform.state();
    const number = await platform.addNumber({
      wabaId: wabas[0]?.id ?? '',
      displayPhoneNumber: '+1 555 010 0099',
    });
    // values that the reader sets; the rest of the block is unchanged
    replaced = [
      ['https://gateway.example.com', demo.baseUrl],
      ['cgw_…', demo.apiKey],
      ['1055…', number.id],
      ['1022…', wabas[0]?.id ?? ''],
      ['EAAG…', apps[0]?.tokens[0] ?? ''],
      ['8f2c…', apps[0]?.secret ?? ''],
      ['127.0.0.1:9000', `127.0.0.1:${port}`],
      ['/opt/chatbot-gateway', join(workspace.folder, 'opt')],
    ];
    const receiver = readProjectFile('README.md').replace('listen(9000', `listen(${port}`);
    await writeFile(join(workspace.folder, 'README.md'), receiver);
    // an installed gateway that was started as root
    const [data, database] = ['opt/data', 'database'].map((name) => join(workspace.folder, name));
    for (const folder of [data, database]) await mkdir(folder as string, { recursive: true });
    await writeFile(join(data as string, 'postgres.location'), `${database}\n`);
  }, 60_000);
  afterAll(() => workspace?.close());

  const documents = Map.groupBy(
    shellBlocks.filter((block) => !elsewhereOf(block)),
    ({ path }) => path,
  );

  test.concurrent.each([...documents])('%s', { timeout: 60_000 }, async (path, blocks) => {
    const codes = blocks.map(({ code }) =>
      replaced.reduce((text, [placeholder, value]) => text.replaceAll(placeholder, value), code),
    );
    const pasted = await paste(codes, { cwd: workspace.folder });
    const failed = blocks[pasted.outputs.length - 1];
    expect(pasted, failed && `at ${nameOf(failed)}: ${pasted.outputs.at(-1)}`).toMatchObject({
      status: 0,
      errors: '',
    });
    const isFailure = ({ status, url }: Pasted['requests'][number]) =>
      // the receiver rejects this request, which only checks that it listens
      !(status >= 200 && status < 400) && !(url === `http://127.0.0.1:${port}/`);
    expect(pasted.requests.filter(isFailure)).toEqual([]);
    for (const [index, block] of blocks.entries()) expectShown(block, pasted.outputs[index] ?? '');
    await results[path]?.(pasted);
  });

  /** Compares the output with what the document shows below the block: the same JSON members, the same text. */
  function expectShown(block: Block, output: string): void {
    const all = readBlocks().filter(({ path }) => path === block.path);
    const next = all[all.findIndex(({ line }) => line === block.line) + 1];
    const isBelow = next && next.line <= block.line + block.code.split('\n').length + 2;
    if (isBelow && next.language === 'text') expect(output).toBe(next.code);
    if (!isBelow || next.language !== 'json') return;
    const members = (text: string) => [...text.matchAll(/"(\w[\w-]*)\\?":/g)].map(([, name]) => name);
    expect(members(output), nameOf(block)).toEqual(expect.arrayContaining(members(next.code)));
  }

  /** Further effects that a document's commands must have. */
  const results: Record<string, (pasted: Pasted) => unknown> = {
    'README.md': ({ outputs }) => {
      for (const status of ['sent', 'delivered', 'read', 'failed'])
        expect(outputs.join()).toContain(`"status":"${status}"`.replaceAll('"', '\\"'));
      expect(outputs.at(-1)).toContain('<h1>Calendar connected</h1>');
    },
    'docs/webhooks.md': ({ outputs }) => {
      expect(JSON.parse(outputs.at(-1) ?? '')).toMatchObject({ success: true, data: { statusCode: 204 } });
    },
    'docs/sending.md': ({ outputs }) => {
      expect(JSON.parse(outputs.at(-1) ?? '').data.mediaId).toMatch(/^\d+$/);
    },
    'docs/operations.md': async () => {
      const copy = (await readFile(join(workspace.folder, 'opt/copy/postgres.location'), 'utf8')).trim();
      expect(copy).toBe(join(workspace.folder, 'database-copy'));
      const owner = await readFile(join(copy, 'data-dir'), 'utf8');
      expect(owner).toBe(`${join(workspace.folder, 'opt/copy')}\n`);
    },
  };
});
