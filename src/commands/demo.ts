// The demonstration's account: made once, found again by later starts, told in lines ready to paste.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { banner } from '../../demo/banner.ts';
import { type Demo, rewireDemo, type SandboxUrls, seedDemo, stillOpens } from '../../demo/seed.ts';
import { createAccount } from '../accounts/keys.ts';
import type { App } from '../app.ts';
import type { Config } from '../config.ts';

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

/** Makes the demonstration or finds it again, keeps it in DATA_DIR/demo.json (mode 600), and tells how to try it. */
export async function prepareDemo(
  config: Config,
  app: App,
  sandbox: SandboxUrls,
  tell: (line: string) => void,
): Promise<void> {
  const file = join(config.dataDir, 'demo.json');
  const kept = await readDemo(file);
  const baseUrl = app.url;
  let demo: Demo;
  if (kept && (await stillOpens(kept, baseUrl))) {
    demo = await rewireDemo(kept, { baseUrl, sandbox });
  } else {
    tell('Making the demonstration account …');
    const { accountId, key } = await createAccount(app, 'Demonstration');
    demo = await seedDemo({ baseUrl, apiKey: key.apiKey, accountId, sandbox }, (step) => tell(`  ${step}`));
  }
  await keepDemo(file, demo);
  process.stdout.write(await banner(demo));
}
