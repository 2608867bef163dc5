// The shell blocks of the documents, and those that cannot run with a sandbox, with the reason.
import { type Block, readBlocks } from '../harness/documents.ts';

interface Elsewhere {
  path: string;
  /** Text that only this block contains. */
  contains: string;
  /** The test that runs it, or the reason why no test does. */
  runBy?: 'install-commands.long.test.ts' | 'python-client.long.test.ts';
  reason: string;
}

/** Blocks that do not run with a sandbox. All other blocks of the documents do. */
export const elsewhere: readonly Elsewhere[] = [
  {
    path: 'README.md',
    contains: 'npm ci && npm start',
    runBy: 'install-commands.long.test.ts',
    reason: 'installs packages',
  },
  { path: 'README.md', contains: 'npm ci && npm test', reason: 'runs all tests' },
  {
    path: 'README.md',
    contains: 'cat > .env',
    runBy: 'install-commands.long.test.ts',
    reason: 'starts a gateway without a sandbox',
  },
  {
    path: 'docs/operations.md',
    contains: 'npm ci --omit=dev',
    runBy: 'install-commands.long.test.ts',
    reason: 'installs packages',
  },
  {
    path: 'docs/operations.md',
    contains: 'src/cli.ts migrate',
    runBy: 'install-commands.long.test.ts',
    reason: 'starts a gateway without a sandbox',
  },
  {
    path: 'docs/operations.md',
    contains: 'psql -h',
    runBy: 'install-commands.long.test.ts',
    reason: 'needs a gateway that was started as installed',
  },
  {
    path: 'docs/clients.md',
    contains: 'npm run client:pack',
    runBy: 'install-commands.long.test.ts',
    reason: 'builds a package in the checkout',
  },
  {
    path: 'docs/clients.md',
    contains: 'npx -y quicktype',
    runBy: 'python-client.long.test.ts',
    reason: 'installs packages',
  },
  {
    path: 'docs/sessions.md',
    contains: 'dashboard-link',
    reason: 'needs a checkout; test/journeys/start-commands.test.ts runs the command',
  },
  {
    path: 'docs/backup.md',
    contains: 'backup ./backups/',
    reason: 'needs the data of a checkout; test/db/backup.test.ts runs the same',
  },
  { path: 'docs/backup.md', contains: 'backup --verify', reason: 'as above' },
  {
    path: 'docs/backup.md',
    contains: '-- restore ./backups/',
    reason: 'needs another machine; test/journeys/restore.test.ts runs the same',
  },
  { path: 'docs/backup.md', contains: '-- release', reason: 'as above' },
  { path: 'docs/backup.md', contains: '-- restore --into-running-copy', reason: 'as above' },
  {
    path: 'docs/command-line.md',
    contains: 'account list --json',
    reason: 'needs the data of a checkout; test/journeys/start-commands.test.ts runs the command',
  },
  {
    path: 'docs/command-line.md',
    contains: 'listen http://localhost',
    reason: 'runs until Ctrl-C; test/journeys/start-demonstration.test.ts runs the command',
  },
  {
    path: 'docs/install.md',
    contains: 'apt-get install -y npm',
    reason: 'needs a machine of its own, as root',
  },
  {
    path: 'docs/install.md',
    contains: 'npm install --global ./chatbot-gateway-*.tgz\ngateway --version',
    reason: 'as above',
  },
  { path: 'docs/install.md', contains: 'useradd --system', reason: 'as above' },
  { path: 'docs/install.md', contains: 'gw() {', reason: 'as above' },
  { path: 'docs/install.md', contains: 'systemctl enable --now', reason: 'as above' },
  { path: 'docs/install.md', contains: 'certbot certonly', reason: 'as above' },
  { path: 'docs/install.md', contains: 'renewal-hooks/deploy/nginx', reason: 'as above' },
  { path: 'docs/install.md', contains: 'gw doctor', reason: 'as above' },
  { path: 'docs/install.md', contains: 'gw sender add', reason: 'as above' },
  { path: 'docs/install.md', contains: 'BACKUP_TO=/var/lib', reason: 'as above' },
  { path: 'docs/install.md', contains: 'gw restore', reason: 'as above' },
  { path: 'docs/install.md', contains: 'gw release', reason: 'as above' },
  {
    path: 'docs/install.md',
    contains: 'npm install --global ./chatbot-gateway-*.tgz\ninstall',
    reason: 'as above',
  },
  { path: 'docs/install.md', contains: 'systemctl restart chatbot-gateway@8080', reason: 'as above' },
  { path: 'docs/install.md', contains: 'mkdir -p ops/secrets', reason: 'as above' },
  { path: 'docs/install.md', contains: 'docker compose -f', reason: 'as above' },
  {
    path: 'docs/retention.md',
    contains: 'retention --dry-run',
    reason: 'needs the data of a checkout; test/journeys/gateway-commands.suite.ts runs the command',
  },
  { path: 'docs/reliability.md', contains: 'npm run faults', reason: 'takes over an hour' },
  {
    path: 'docs/high-availability.md',
    contains: 'npm run faults -- --ha',
    reason: 'takes half an hour; test/faults/ha/ha.long.test.ts runs two of its scenarios',
  },
  { path: 'docs/benchmarks.md', contains: 'npm run bench', reason: 'loads the machine for a minute' },
];

export const shellBlocks: readonly Block[] = readBlocks().filter(({ language }) => language === 'sh');

/** The entry of a block that does not run with a sandbox. */
export const elsewhereOf = ({ path, code }: Block): Elsewhere | undefined =>
  elsewhere.find((entry) => entry.path === path && code.includes(entry.contains));
