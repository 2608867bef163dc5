// The gateway process of `npm run dev`: it uses a sandbox that keeps running, whose addresses are its argument.
import { start } from '../src/commands/start.ts';
import { loadEnvFile } from '../src/config.ts';

loadEnvFile();
const urls = JSON.parse(process.argv[2] ?? '{}');
await start({ sandbox: { urls, stop: async () => {} } }).catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
