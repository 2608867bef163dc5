// The demo account: created once, reused by later starts, printed with commands to paste.
import { appendFile, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { banner } from '../../demo/banner.ts';
import { type Demo, keyStillWorks, type SandboxUrls, seedDemo, updateDemo } from '../../demo/seed.ts';
import { createAccount } from '../accounts/keys.ts';
import { listAccounts } from '../accounts/store.ts';
import type { App } from '../app.ts';
import { uuidv7 } from '../base/ids.ts';
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

/** Ids of the accounts that the sandbox created, one a line. Anybody may name an account like them. */
const createdFile = (config: Config) => join(config.dataDir, 'sandbox', 'accounts');

/** Throws if the database has accounts but none that the sandbox created: the sandbox must not use real data. */
export async function requireDemoDatabase(config: Config, db: Db): Promise<void> {
  const [accounts, known, created] = await Promise.all([
    listAccounts(db),
    readDemo(join(config.dataDir, 'demo.json')),
    readFile(createdFile(config), 'utf8').catch(() => ''),
  ]);
  if (accounts.length === 0) return;
  const ids = [known?.accountId, ...created.split('\n')];
  if (accounts.some(({ id }) => ids.includes(id))) return;
  const without = `${config.databaseUrl === null ? '' : 'DATABASE_URL= '}${config.publicUrl === null ? '' : 'PUBLIC_URL= '}`;
  const where = config.databaseUrl === null ? `DATA_DIR ${config.dataDir}` : 'The database of DATABASE_URL';
  throw new Error(
    `${where} has real accounts, which the sandbox must not use. ` +
      `Start with "npm start -- --no-sandbox" for production, or use another DATA_DIR for the sandbox: ${without}DATA_DIR=./data npm start`,
  );
}

/** Creates a demo account. Its id is stored first, so that the next start recognizes it if this one is killed. */
async function createDemoAccount(config: Config, app: App): Promise<Pick<Demo, 'accountId' | 'apiKey'>> {
  const accountId = uuidv7(app.clock.now());
  await appendFile(createdFile(config), `${accountId}\n`, { mode: 0o600 });
  const { key } = await createAccount(app, accountName, accountId);
  return { accountId, apiKey: key.apiKey };
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
    const account = await createDemoAccount(config, app);
    demo = await seedDemo({ ...now, ...account }, (step) => {
      output.signal.throwIfAborted();
      output.print(`  ${step}`);
    });
  }
  await writeDemo(file, demo);
  const text = await banner(demo);
  output.signal.throwIfAborted();
  sayEach(demo, text.trimEnd());
}
