// Strips `engines` from package-lock.json: npm checks them against the Node that starts npm, but everything here runs on the Node that the lock file itself brings.
import { readFileSync, writeFileSync } from 'node:fs';

const path = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(path, 'utf8'));
for (const entry of Object.values(lock.packages)) delete entry.engines;
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
