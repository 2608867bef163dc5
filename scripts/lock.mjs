// The removal of `engines` from package-lock.json: npm checks them against the Node that starts npm, but everything runs on the pinned Node.
import { readFileSync, writeFileSync } from 'node:fs';

const path = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(path, 'utf8'));
for (const entry of Object.values(lock.packages)) delete entry.engines;
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
