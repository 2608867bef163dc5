// The demo account: created once, reused by later starts, printed as lines to paste.
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

const accountName = 'Demonstration';

async function readDemo(file: string): Promise<Demo | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Demo;
  } catch {
    return undefined;
  }
}

async function keepDemo(file: string, demo: Demo): Promise<void> {
  await writeFile(`${file}.tmp`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.tmp`, file);
}

/** Throws if the database has accounts and none of them is a demonstration's: the sandbox would play with real data. */
export async function mustBeDemonstration(config: Config, db: Db): Promise<void> {
  const [accounts, kept] = await Promise.all([listAccounts(db), readDemo(join(config.dataDir, 'demo.json'))]);
  if (accounts.length === 0) return;
  if (accounts.some(({ id, name }) => name === accountName || id === kept?.accountId)) return;
  const where = config.databaseUrl === null ? `DATA_DIR ${config.dataDir}` : 'The database of DATABASE_URL';
  throw new Error(
    `${where} has real accounts, and the sandbox never runs on those. ` +
      'Start for real use with "npm start -- --no-sandbox", or give the sandbox another DATA_DIR: DATA_DIR=./data npm start',
  );
}

/** Makes the demonstration or finds it again, keeps it in DATA_DIR/demo.json (mode 600), and tells how to try it. */
export async function prepareDemo(
  config: Config,
  app: App,
  sandbox: SandboxUrls,
  told: { tell: (line: string) => void; log: Log; signal: AbortSignal },
): Promise<void> {
  const file = join(config.dataDir, 'demo.json');
  const kept = await readDemo(file);
  const now = { baseUrl: app.url, sandbox };
  let demo: Demo;
  if (kept && (await keyStillWorks(kept, now.baseUrl))) {
    demo = { ...kept, ...now };
    await updateDemo(demo).catch((error) => {
      told.log.error({ err: error }, 'demo.not_rewired');
      told.tell(`Part of the demonstration was changed and was not reset: ${error.message}`);
    });
  } else {
    told.tell('Making the demonstration account …');
    const { accountId, key } = await createAccount(app, accountName);
    demo = await seedDemo({ ...now, apiKey: key.apiKey, accountId }, (step) => {
      told.signal.throwIfAborted();
      told.tell(`  ${step}`);
    });
  }
  await keepDemo(file, demo);
  const text = await banner(demo);
  told.signal.throwIfAborted();
  process.stdout.write(text);
}
