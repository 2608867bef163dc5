// The sandbox's process: simulates the messaging platform, Google and a webhook receiver until it is stopped.
import { parseArgs } from 'node:util';
import { startCloudApi } from './cloud-api/server.ts';
import { startGoogle } from './google/server.ts';
import { startReceiver } from './receiver/server.ts';
import type { RunningServer } from './server.ts';

const usage = `Usage: node sandbox/main.ts [options]
  --dir <folder>          keep the state here, so that a restart continues with it (default: in memory only)
  --cloud-api-port <n>    ports on 127.0.0.1; 0, the default, takes any free one
  --google-port <n>
  --receiver-port <n>
  --stay                  keep running after the end of standard input (by default the sandbox ends with its parent's pipe)
Prints one line of JSON when all servers are ready: {"cloudApi":url,"google":url,"receiver":url}.`;

/** Maximum duration of an orderly shutdown, in milliseconds. */
const endWithinMs = 1500;

const { values } = parseArgs({
  options: {
    dir: { type: 'string' },
    'cloud-api-port': { type: 'string', default: '0' },
    'google-port': { type: 'string', default: '0' },
    'receiver-port': { type: 'string', default: '0' },
    stay: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) console.log(usage);
else await run();

async function run(): Promise<void> {
  const dir = values.dir ?? null;
  const all = await Promise.all([
    startCloudApi({ dir, port: portOf('cloud-api-port') }),
    startGoogle({ dir, port: portOf('google-port') }),
    startReceiver({ dir, port: portOf('receiver-port') }),
  ]);
  endWithParent(all);
  const [cloudApi, google, receiver] = all;
  process.stdout.write(
    `${JSON.stringify({ cloudApi: cloudApi.url, google: google.url, receiver: receiver.url })}\n`,
  );
}

function portOf(name: 'cloud-api-port' | 'google-port' | 'receiver-port'): number {
  const port = Number(values[name]);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new Error(`--${name} must be a port number from 0 to 65535, not ${values[name]}`);
}

/** Ends on SIGTERM, SIGINT, and when the parent is gone, so that the sandbox never outlives a killed gateway. */
function endWithParent(all: RunningServer[]): void {
  let ending = false;
  const end = () => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(0), endWithinMs).unref();
    Promise.allSettled(all.map((server) => server.close())).then(() => process.exit(0));
  };
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
  process.once('disconnect', end);
  if (values.stay || process.connected) return;
  process.stdin.once('end', end).once('close', end).once('error', end).resume();
}
