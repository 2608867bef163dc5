// Global setup of the tests: starts a database server with a migrated template, and removes it afterwards, also on Ctrl-C.
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { type Connection, openDb } from '../../src/db/db.ts';
import { gatewayDatabase } from '../../src/db/embedded/roles.ts';
import { migrateToLatest } from '../../src/db/migrate.ts';
import { administer, ownedBy } from './administer.ts';
import { connectionTo } from './database.ts';
import { startTestServer, type TestServer } from './test-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The connection to the tests' database server, and the name of its template. */
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

/** Migrates a database and closes all connections: a template must have none while it is cloned. */
async function migrate(connection: Connection): Promise<void> {
  const db = openDb(connection, { maxConnections: 1, applicationName: 'test template' });
  try {
    await migrateToLatest(db);
  } finally {
    await db.destroy();
  }
}

/** Creates and migrates the database that each test file clones. */
async function makeTemplate({ connection, administrator }: TestServer, template: string): Promise<void> {
  await administer(administrator, `create database ${template} ${ownedBy(connection)}`);
  await migrate(connectionTo(connection, template));
}

/** Prepares a separate server, whose gateway database is migrated too, so that its folder can serve as a DATA_DIR. */
async function makeTemplates({ connection, administrator }: TestServer): Promise<void> {
  await migrate(connection);
  await administer(
    administrator,
    `create database ${ownTemplate} template ${gatewayDatabase} ${ownedBy(connection)}`,
  );
}

/** One server for all projects of a run: Vitest evaluates this file, and calls `setup`, for each project. */
interface Shared {
  projects: number;
  opened: ReturnType<typeof open>;
}
const shared = globalThis as typeof globalThis & { testServer?: Shared };

async function open() {
  const server = await startTestServer(makeTemplates);
  const atExit = () => server.stopNow();
  process.once('exit', atExit);
  const template = server.hasTemplate ? ownTemplate : `${ownTemplate}_${process.pid}`;
  if (!server.hasTemplate) await makeTemplate(server, template);
  const { connection, administrator } = server;
  const interfaceDocumentPath = join(tmpdir(), `gateway-interface-${process.pid}.json`);
  const close = async () => {
    await rm(interfaceDocumentPath, { force: true });
    if (!server.hasTemplate) await administer(server.administrator, `drop database ${template} with (force)`);
    await server.stop();
    process.off('exit', atExit);
  };
  return { interfaceDocumentPath, testServer: { connection, administrator, template }, close };
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  shared.testServer ??= { projects: 0, opened: open() };
  const { testServer } = shared;
  testServer.projects += 1;
  const opened = await testServer.opened;
  project.provide('interfaceDocumentPath', opened.interfaceDocumentPath);
  project.provide('testServer', opened.testServer);
  return async () => {
    testServer.projects -= 1;
    if (testServer.projects > 0) return;
    delete shared.testServer;
    await opened.close();
  };
}
