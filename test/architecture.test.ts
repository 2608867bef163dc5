// The laws of the tree, held by reading its import lines; and a proof for each that it can fail.
import { describe, expect, test } from 'vitest';
import { breachesOfImportLaw } from './harness/import-law.ts';
import {
  breachesOfForm,
  breachesOfPurity,
  circlesOfFiles,
  circlesOfFolders,
  isPure,
  maxLines,
} from './harness/purity-and-cycles.ts';
import { readSources, readText, type Source, source } from './harness/source.ts';

const src = readSources(['src']);

/** What a lock file must not hold: `resolved` names a registry's host, `engines` stops an npm that runs on an old Node. */
function wrongInLock(text: string): string[] {
  const lock = JSON.parse(text) as { packages: Record<string, { resolved?: unknown; engines?: unknown }> };
  return Object.entries(lock.packages).flatMap(([name, entry]) =>
    (['resolved', 'engines'] as const)
      .filter((key) => key in entry)
      .map((key) => `${name || 'the root'} has "${key}"`),
  );
}

/** Imports by which played outside and program would lean on each other, or on the tests. */
function breachesOfApartness(files: Source[]): string[] {
  return files.flatMap((file) => {
    const own = file.path.split('/')[0];
    return file.imports
      .filter(({ target }) => target && target.split('/')[0] !== own)
      .map(({ target }) => `${file.path}: imports ${target}`);
  });
}

describe('the tree', () => {
  test('keeps the import law', () => {
    expect(src.length).toBeGreaterThan(20);
    expect(breachesOfImportLaw(src)).toEqual([]);
  });

  test('has no circle of imports, neither of files nor of folders', () => {
    expect(circlesOfFiles(src, true)).toEqual([]);
    expect(circlesOfFolders(src)).toEqual([]);
    expect(circlesOfFiles(readSources(['sandbox', 'bench', 'test', 'scripts']), false)).toEqual([]);
  });

  test('has pure files that are pure', () => {
    expect(src.some(isPure)).toBe(true);
    expect(breachesOfPurity(src)).toEqual([]);
  });

  test('keeps the sandbox and the client free of everything else', () => {
    expect(breachesOfApartness(readSources(['sandbox', 'client']))).toEqual([]);
  });

  test(`has no file over ${maxLines} lines, and each says first what it is for`, () => {
    const all = readSources(['src', 'sandbox', 'demo', 'client', 'bench', 'test', 'scripts']);
    expect(breachesOfForm(all)).toEqual([]);
  });

  test('has a lock file that names no registry and asks nothing of the Node that runs npm', () => {
    expect(wrongInLock(readText('package-lock.json'))).toEqual([]);
  });
});

describe('the import law can fail:', () => {
  test.each([
    [
      'a lower row imports a higher',
      'src/db/a.ts',
      "import { a } from '../http/reply.ts';",
      /not in a lower row/,
    ],
    [
      'row 0 goes sideways',
      'src/db/a.ts',
      "import type { A } from '../base/errors.ts';",
      /not in a lower row/,
    ],
    [
      'rooms go sideways',
      'src/messaging/a.ts',
      "import { b } from '../appointments/b.ts';",
      /not in a lower row/,
    ],
    [
      'accounts go sideways',
      'src/accounts/a.ts',
      "import { p } from '../webhooks/publish.ts';",
      /not in a lower row/,
    ],
    ['workers see the server', 'src/workers.ts', "import { s } from './server.ts';", /not in a lower row/],
    ['base imports ours', 'src/base/a.ts', "import { b } from '../config.ts';", /not in a lower row/],
    ['config sees more than base', 'src/config.ts', "import { b } from './db/db.ts';", /not in a lower row/],
    [
      'a new folder without a row',
      'src/extra/a.ts',
      "import { b } from '../base/b.ts';",
      /no row in the law/,
    ],
    [
      'an import over several lines',
      'src/work/a.ts',
      "import {\n  b,\n  type C,\n} from '../http/b.ts';",
      /lower row/,
    ],
    ['an export from above', 'src/work/a.ts', "export { b } from '../app.ts';", /lower row/],
    ['a dynamic import from above', 'src/work/a.ts', "const b = await import('../app.ts');", /lower row/],
    [
      'an adapter sees the contract',
      'src/adapters/meta/a.ts',
      "import { b } from '../../contract/b.ts';",
      /sees ports/,
    ],
    ['an adapter sees another', 'src/adapters/meta/a.ts', "import { b } from '../google/b.ts';", /another's/],
    [
      'the server names an adapter',
      'src/server.ts',
      "import { b } from './adapters/s3/b.ts';",
      /only parts.ts/,
    ],
    ['a sub-room goes up', 'src/messaging/media/a.ts', "import { b } from '../routes.ts';", /goes up/],
    [
      'a sub-room goes sideways',
      'src/messaging/templates/a.ts',
      "import { b } from '../sending/b.ts';",
      /sideways or up/,
    ],
    [
      'slots see booking',
      'src/appointments/slots/a.ts',
      "import { b } from '../booking/b.ts';",
      /sideways or up/,
    ],
    [
      'endpoints see delivery',
      'src/webhooks/endpoints/a.ts',
      "import { b } from '../delivery/b.ts';",
      /sideways or up/,
    ],
    [
      'an unknown sub-room',
      'src/messaging/new/a.ts',
      "import { b } from '../media/b.ts';",
      /no place in the law/,
    ],
    [
      'webhooks by the window',
      'src/messaging/a.ts',
      "import { b } from '../webhooks/store.ts';",
      /publish.ts alone/,
    ],
    ['src sees the sandbox', 'src/app.ts', "import { b } from '../sandbox/main.ts';", /out of src/],
    ['src sees the tests', 'src/cli.ts', "import { b } from '../test/harness/child.ts';", /out of src/],
    ['SQL in a verb', 'src/messaging/sending/send.ts', "import { sql } from 'kysely';", /belongs in a store/],
    ['pg in a route', 'src/messaging/routes.ts', "import pg from 'pg';", /belongs in a store/],
    [
      'a query in a verb',
      'src/accounts/key.ts',
      "await db.selectFrom('accounts').execute();",
      /belongs in a store/,
    ],
    ['a sql text in a verb', 'src/accounts/key.ts', 'const a = sql<Row>`select 1`;', /belongs in a store/],
    ['Fastify in a verb', 'src/accounts/key.ts', "import type { FastifyRequest } from 'fastify';", /Fastify/],
    ['Fastify in a store', 'src/accounts/store.ts', "import multipart from '@fastify/multipart';", /Fastify/],
    ['undici in an adapter', 'src/adapters/meta/a.ts', "import { request } from 'undici';", /HTTP out/],
    ['node:https in a room', 'src/webhooks/a.ts', "import https from 'node:https';", /HTTP out/],
    ['http.request in http/', 'src/http/a.ts', "import { request } from 'node:http';", /HTTP out/],
    ['fetch', 'src/webhooks/a.ts', "const answer = await fetch('http://a');", /HTTP out/],
    [
      'a vendor kit in a room',
      'src/messaging/a.ts',
      "import { S3 } from '@aws-sdk/client-s3';",
      /vendor's kit/,
    ],
    ['the environment', 'src/cli.ts', 'const port = process.env.PORT;', /environment/],
    ['the environment, spelt otherwise', 'src/cli.ts', "import { env } from 'node:process';", /environment/],
    ['a port with code', 'src/ports/a.ts', 'export function a() {}', /no code/],
    ['a barrel', 'src/http/a.ts', "export * from './reply.ts';", /no export/],
    ['an index file', 'src/http/index.ts', '', /no index/],
  ])('%s', (_what, path, text, breach) => {
    expect(breachesOfImportLaw([source(path, text)]).join('\n')).toMatch(breach);
  });

  test.each([
    [
      'a store with SQL',
      'src/messaging/sending/messages-claims-store.ts',
      "import { sql } from 'kysely';\nsql`select 1`;",
    ],
    ['http/ on the database', 'src/http/a.ts', "import { findKey } from '../db/idempotency-keys.ts';"],
    ['config on base', 'src/config.ts', "import { a } from './base/a.ts';\nprocess.env;"],
    [
      'routes on their room',
      'src/messaging/routes.ts',
      "import type { A } from 'fastify';\nimport './sending/send.ts';",
    ],
    [
      'booking on the lowest sub-room',
      'src/appointments/booking/a.ts',
      "import { a } from '../directory/store.ts';",
    ],
    ['a server of node:http', 'src/server.ts', "import { createServer } from 'node:http';"],
    ['types of node:http', 'src/http/a.ts', "import type { IncomingHttpHeaders } from 'node:http';"],
    ['HTTP out at its place', 'src/base/outgoing-guard.ts', "import { Pool } from 'undici';"],
    [
      'a word in a comment or text',
      'src/http/a.ts',
      "// process.env, fetch(\nconst a = 'process.env fetch(';",
    ],
    ["another's fetch", 'src/http/a.ts', 'deps.outgoing.fetch(1);'],
    ['the program as a whole', 'src/parts.ts', "import { a } from './adapters/meta/a.ts';"],
    [
      'the door to webhooks',
      'src/messaging/sending/a.ts',
      "import { publish } from '../../webhooks/publish.ts';",
    ],
  ])('but not for %s', (_what, path, text) => {
    expect(breachesOfImportLaw([source(path, text)])).toEqual([]);
  });
});

describe('the other laws can fail:', () => {
  const pure = 'src/appointments/slots/engine.ts';

  test.each([
    ['await', 'await 1;'],
    ['the clock', 'const now = Date.now();'],
    ['an empty Date', 'const now = new Date();'],
    ['chance', 'Math.random();'],
    ['Temporal.Now', 'Temporal.Now.instant();'],
    ['a timer', 'setTimeout(a, 1);'],
    ['an impure file', "import { a } from './store.ts';"],
    ['the file system', "import { readFileSync } from 'node:fs';"],
    ['random bytes', "import { randomBytes } from 'node:crypto';"],
  ])('a pure file with %s', (_what, text) => {
    expect(breachesOfPurity([source(pure, text)])).toHaveLength(1);
    expect(breachesOfPurity([source('src/a/b.ts', `// Decides. Pure.\n${text}`)])).toHaveLength(1);
    expect(breachesOfPurity([source('src/a/b.ts', `// Does.\n${text}`)])).toEqual([]);
  });

  test('but not a pure file with types, errors, the contract, hashes and its like', () => {
    const text = [
      "import type { Db } from '../../db/db.ts';",
      "import { AppError } from '../../base/errors.ts';",
      "import { Slot } from '../../contract/appointments.ts';",
      "import { createHmac } from 'node:crypto';",
      "import { at } from './wall-time.ts';",
      'new Date(0); // await Date.now()',
    ].join('\n');
    expect(breachesOfPurity([source(pure, text), source('src/appointments/slots/wall-time.ts', '')])).toEqual(
      [],
    );
  });

  test('a circle of files, though only of types', () => {
    const files = [
      source('src/db/a.ts', "import { b } from './b.ts';"),
      source('src/db/b.ts', "import { c } from './c.ts';"),
      source('src/db/c.ts', "import type { A } from './a.ts';"),
    ];
    expect(circlesOfFiles(files, true)).toEqual(['src/db/a.ts → src/db/b.ts → src/db/c.ts → src/db/a.ts']);
    expect(circlesOfFiles(files, false)).toEqual([]);
    expect(circlesOfFiles([source('src/db/a.ts', "import './a.ts';")], false)).toHaveLength(1);
  });

  test('a circle of folders without one of files', () => {
    const files = [
      source('src/x/a.ts', "import { b } from '../y/b.ts';"),
      source('src/y/c.ts', "import { d } from '../x/d.ts';"),
    ];
    expect(circlesOfFiles(files, true)).toEqual([]);
    expect(circlesOfFolders(files)).toEqual(['src/x → src/y → src/x']);
  });

  test('the sandbox on the program', () => {
    expect(breachesOfApartness([source('sandbox/a.ts', "import { b } from '../src/b.ts';")])).toHaveLength(1);
    expect(breachesOfApartness([source('sandbox/google/a.ts', "import { b } from '../b.ts';")])).toEqual([]);
  });

  test('a long file, and one that does not say what it is for', () => {
    const long = source('src/a.ts', `// A.\n${'a();\n'.repeat(maxLines)}`);
    expect(breachesOfForm([long])).toHaveLength(1);
    expect(breachesOfForm([{ ...long, path: 'test/api/a.test.ts' }])).toHaveLength(1);
    expect(breachesOfForm([{ ...long, path: 'src/db/schema.ts' }])).toEqual([]);
    expect(breachesOfForm([source('src/a.ts', 'a();\n')])).toHaveLength(1);
    expect(breachesOfForm([source('src/a.ts', '#!/usr/bin/env node\n// A.\n')])).toEqual([]);
  });

  test('a lock file with hosts or engines', () => {
    const lock = { packages: { '': {}, a: { resolved: 'https://b' }, b: { engines: { node: '>=22' } } } };
    expect(wrongInLock(JSON.stringify(lock))).toEqual(['a has "resolved"', 'b has "engines"']);
  });
});
