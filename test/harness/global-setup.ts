// Before all tests: one database server with a migrated template database; after them, or on Ctrl-C, nothing of it is left.
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDb } from '../../src/db/db.ts';
import { migrateToLatest } from '../../src/db/migrate.ts';
import { administer, ownedBy } from './administer.ts';
import { connectionTo } from './database.ts';
import { startTestServer, type TestServer } from './test-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the tests' database server is, and the name of the template in it. */
    testServer: {
      connection: import('../../src/db/db.ts').Connection;
      administrator: import('../../src/db/db.ts').Connection;
      template: string;
    };
    /** The file that shares the OpenAPI document between test files. */
    interfaceDocumentPath: string;
  }
}

const ownTemplate = 'gateway_template';

/** Makes and migrates the database that each test file clones. */
async function makeTemplate({ connection, administrator }: TestServer, template: string): Promise<void> {
  await administer(administrator, `create database ${template} ${ownedBy(connection)}`);
  // a template must have no connection while it is cloned
  const db = openDb(connectionTo(connection, template), {
    maxConnections: 1,
    applicationName: 'test template',
  });
  try {
    await migrateToLatest(db);
  } finally {
    await db.destroy();
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startTestServer((first) => makeTemplate(first, ownTemplate));
  const atExit = () => server.stopNow();
  process.once('exit', atExit);
  const template = server.hasTemplate ? ownTemplate : `${ownTemplate}_${process.pid}`;
  if (!server.hasTemplate) await makeTemplate(server, template);
  const { connection, administrator } = server;
  const interfaceDocumentPath = join(tmpdir(), `gateway-interface-${process.pid}.json`);
  project.provide('interfaceDocumentPath', interfaceDocumentPath);
  project.provide('testServer', { connection, administrator, template });
  return async () => {
    await rm(interfaceDocumentPath, { force: true });
    if (!server.hasTemplate) await administer(server.administrator, `drop database ${template} with (force)`);
    await server.stop();
    process.off('exit', atExit);
  };
}
