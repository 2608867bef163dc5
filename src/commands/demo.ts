// The demo account: created once, reused by later starts, printed with commands to paste.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { banner } from '../../demo/banner.ts';
import { type Demo, keyStillWorks, type SandboxUrls, seedDemo, updateDemo } from '../../demo/seed.ts';
import { createAccount } from '../accounts/keys.ts';
import { listAccounts } from '../accounts/store.ts';
import type { App } from '../app.ts';
import type { Log } from '../base/log.ts';
import type { Config } from '../config.ts';
import type { Db } from '../db/db.ts';
import { sayEach } from './output.ts';

const accountName = 'Demonstration';

async function readDemo(file: string): Promise<Demo | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Demo;
  } catch {
    return undefined;
  }
}

async function writeDemo(file: string, demo: Demo): Promise<void> {
  await writeFile(`${file}.tmp`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.tmp`, file);
}

/** Throws if the database has accounts but no demo account: the sandbox must not use real data. */
export async function requireDemoDatabase(config: Config, db: Db): Promise<void> {
  const [accounts, known] = await Promise.all([
    listAccounts(db),
    readDemo(join(config.dataDir, 'demo.json')),
  ]);
  if (accounts.length === 0) return;
  if (accounts.some(({ id, name }) => name === accountName || id === known?.accountId)) return;
  const where = config.databaseUrl === null ? `DATA_DIR ${config.dataDir}` : 'The database of DATABASE_URL';
  throw new Error(
    `${where} has real accounts, which the sandbox must not use. ` +
      'Start with "npm start -- --no-sandbox" for production, or use another DATA_DIR for the sandbox: DATA_DIR=./data npm start',
  );
}

/** Creates or reuses the demo account, stores it in DATA_DIR/demo.json (mode 600), and prints how to try it. */
export async function prepareDemo(
  config: Config,
  app: App,
  sandbox: SandboxUrls,
  output: { print: (line: string) => void; log: Log; signal: AbortSignal },
): Promise<void> {
  const file = join(config.dataDir, 'demo.json');
  const known = await readDemo(file);
  const now = { baseUrl: app.url, sandbox };
  let demo: Demo;
  if (known && (await keyStillWorks(known, now.baseUrl))) {
    demo = { ...known, ...now };
    await updateDemo(demo).catch((error) => {
      output.log.error({ err: error }, 'demo.not_rewired');
      output.print(`Some changes of the demo account could not be reset: ${error.message}`);
    });
  } else {
    output.print('Creating the demo account …');
    const { accountId, key } = await createAccount(app, accountName);
    demo = await seedDemo({ ...now, apiKey: key.apiKey, accountId }, (step) => {
      output.signal.throwIfAborted();
      output.print(`  ${step}`);
    });
  }
  await writeDemo(file, demo);
  const text = await banner(demo);
  output.signal.throwIfAborted();
  sayEach(demo, text.trimEnd());
}
