// The import rules report each kind of violation, and nothing else.
import { describe, expect, test } from 'vitest';
import { importViolations } from './harness/import-rules.ts';
import { source } from './harness/source.ts';

describe('the import rules report:', () => {
  test.each([
    [
      'an import of a higher layer',
      'src/db/a.ts',
      "import { a } from '../http/reply.ts';",
      /not in a lower layer/,
    ],
    [
      'an import within layer 0',
      'src/db/a.ts',
      "import type { A } from '../base/errors.ts';",
      /not in a lower layer/,
    ],
    [
      'an import of another module',
      'src/messaging/a.ts',
      "import { b } from '../appointments/b.ts';",
      /not in a lower layer/,
    ],
    [
      'an import of webhooks by accounts',
      'src/accounts/a.ts',
      "import { p } from '../webhooks/publish.ts';",
      /not in a lower layer/,
    ],
    [
      'an import of the server by workers',
      'src/workers.ts',
      "import { s } from './server.ts';",
      /not in a lower layer/,
    ],
    [
      'an import of config by base',
      'src/base/a.ts',
      "import { b } from '../config.ts';",
      /not in a lower layer/,
    ],
    ['an import of db by config', 'src/config.ts', "import { b } from './db/db.ts';", /not in a lower layer/],
    ['a new folder without a layer', 'src/extra/a.ts', "import { b } from '../base/b.ts';", /has no layer/],
    [
      'an import on several lines',
      'src/work/a.ts',
      "import {\n  b,\n  type C,\n} from '../http/b.ts';",
      /lower layer/,
    ],
    ['a re-export from a higher layer', 'src/work/a.ts', "export { b } from '../app.ts';", /lower layer/],
    [
      'a dynamic import of a higher layer',
      'src/work/a.ts',
      "const b = await import('../app.ts');",
      /lower layer/,
    ],
    [
      'an adapter that imports the contract',
      'src/adapters/meta/a.ts',
      "import { b } from '../../contract/b.ts';",
      /only ports and base/,
    ],
    [
      'an adapter that imports another one',
      'src/adapters/meta/a.ts',
      "import { b } from '../google/b.ts';",
      /another vendor's/,
    ],
    [
      'an adapter imported by the server',
      'src/server.ts',
      "import { b } from './adapters/s3/b.ts';",
      /only parts.ts/,
    ],
    [
      'a submodule that imports its module',
      'src/messaging/media/a.ts',
      "import { b } from '../routes.ts';",
      /imports upwards/,
    ],
    [
      'a submodule that imports sideways',
      'src/messaging/templates/a.ts',
      "import { b } from '../sending/b.ts';",
      /sideways or upwards/,
    ],
    [
      'stored templates imported by their content',
      'src/messaging/template-content/a.ts',
      "import { b } from '../templates/store.ts';",
      /sideways or upwards/,
    ],
    [
      'booking imported by slots',
      'src/appointments/slots/a.ts',
      "import { b } from '../booking/b.ts';",
      /sideways or upwards/,
    ],
    [
      'delivery imported by endpoints',
      'src/webhooks/endpoints/a.ts',
      "import { b } from '../delivery/b.ts';",
      /sideways or upwards/,
    ],
    ['an unknown submodule', 'src/messaging/new/a.ts', "import { b } from '../media/b.ts';", /is not listed/],
    [
      'an import of webhooks past publish.ts',
      'src/messaging/a.ts',
      "import { b } from '../webhooks/store.ts';",
      /only webhooks\/publish.ts/,
    ],
    ['the sandbox imported by src', 'src/app.ts', "import { b } from '../sandbox/main.ts';", /outside src/],
    [
      'the tests imported by src',
      'src/cli.ts',
      "import { b } from '../test/harness/child.ts';",
      /outside src/,
    ],
    [
      'SQL in an operation',
      'src/messaging/sending/send.ts',
      "import { sql } from 'kysely';",
      /belongs in a store/,
    ],
    ['pg in a route', 'src/messaging/routes.ts', "import pg from 'pg';", /belongs in a store/],
    [
      'a query in an operation',
      'src/accounts/key.ts',
      "await db.selectFrom('accounts').execute();",
      /belongs in a store/,
    ],
    [
      'a SQL text in an operation',
      'src/accounts/key.ts',
      'const a = sql<Row>`select 1`;',
      /belongs in a store/,
    ],
    [
      'Fastify in an operation',
      'src/accounts/key.ts',
      "import type { FastifyRequest } from 'fastify';",
      /Fastify/,
    ],
    ['Fastify in a store', 'src/accounts/store.ts', "import multipart from '@fastify/multipart';", /Fastify/],
    ['undici in an adapter', 'src/adapters/meta/a.ts', "import { request } from 'undici';", /outgoing HTTP/],
    ['node:https in a module', 'src/webhooks/a.ts', "import https from 'node:https';", /outgoing HTTP/],
    ['http.request in http/', 'src/http/a.ts', "import { request } from 'node:http';", /outgoing HTTP/],
    ['fetch', 'src/webhooks/a.ts', "const answer = await fetch('http://a');", /outgoing HTTP/],
    [
      "a vendor's SDK in a module",
      'src/messaging/a.ts',
      "import { S3 } from '@aws-sdk/client-s3';",
      /vendor's SDK/,
    ],
    ['the environment', 'src/cli.ts', 'const port = process.env.PORT;', /environment/],
    [
      'the environment imported from node:process',
      'src/cli.ts',
      "import { env } from 'node:process';",
      /environment/,
    ],
    ['a port with code', 'src/ports/a.ts', 'export function a() {}', /no code/],
    ['a barrel', 'src/http/a.ts', "export * from './reply.ts';", /export \* is/],
    ['an index file', 'src/http/index.ts', '', /index files/],
  ])('%s', (_what, path, text, violation) => {
    expect(importViolations([source(path, text)]).join('\n')).toMatch(violation);
  });

  test.each([
    [
      'a store with SQL',
      'src/messaging/dispatch/claims-store.ts',
      "import { sql } from 'kysely';\nsql`select 1`;",
    ],
    ['the database in http/', 'src/http/a.ts', "import { findKey } from '../db/idempotency-keys.ts';"],
    ['base in config', 'src/config.ts', "import { a } from './base/a.ts';\nprocess.env;"],
    [
      'a submodule in the routes of its module',
      'src/messaging/routes.ts',
      "import type { A } from 'fastify';\nimport './sending/send.ts';",
    ],
    [
      'the lowest submodule in booking',
      'src/appointments/booking/a.ts',
      "import { a } from '../directory/store.ts';",
    ],
    ['a server of node:http', 'src/server.ts', "import { createServer } from 'node:http';"],
    ['types of node:http', 'src/http/a.ts', "import type { IncomingHttpHeaders } from 'node:http';"],
    ['outgoing HTTP in base/outgoing', 'src/base/outgoing/guard.ts', "import { Pool } from 'undici';"],
    ['db in embedded', 'src/db/embedded/a.ts', "import { a } from '../db.ts';"],
    ['base in outgoing', 'src/base/outgoing/a.ts', "import { a } from '../errors.ts';"],
    [
      'a name in a comment or text',
      'src/http/a.ts',
      "// process.env, fetch(\nconst a = 'process.env fetch(';",
    ],
    ['a method named fetch', 'src/http/a.ts', 'deps.outgoing.fetch(1);'],
    ['an adapter in parts.ts', 'src/parts.ts', "import { a } from './adapters/meta/a.ts';"],
    [
      'publish.ts of webhooks',
      'src/messaging/sending/a.ts',
      "import { publish } from '../../webhooks/publish.ts';",
    ],
  ])('but not %s', (_what, path, text) => {
    expect(importViolations([source(path, text)])).toEqual([]);
  });
});
