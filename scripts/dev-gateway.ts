// The gateway that `npm run dev` restarts: beside a sandbox that keeps running, whose addresses are the argument.
import { start } from '../src/commands/start.ts';
import { loadEnvFile } from '../src/config.ts';

loadEnvFile();
const urls = JSON.parse(process.argv[2] ?? '{}');
await start({ sandbox: { urls, stop: async () => {} } }).catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
