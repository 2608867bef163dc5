// Builds the dashboard unless its build is current. Runs after the install, and before a start for installs with --ignore-scripts.
// Without Vite (--omit=dev) it keeps what is there, such as the build that a release contains.
const { execFileSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { existsSync, readdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join, relative } = require('node:path');

const root = join(__dirname, '..');
const folder = join(root, 'dashboard');
const dist = join(folder, 'dist');
/** Digest of the sources that the build was made from. */
const stamp = join(dist, 'built-from');
const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
const runtime = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');

const filesIn = (path) =>
  readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));

function digestOfSources() {
  const sources = [...filesIn(folder), ...filesIn(join(root, 'client', 'src'))]
    .filter((file) => !file.startsWith(dist))
    .sort();
  const hash = createHash('sha256');
  for (const file of sources)
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  // a release changes its own version only
  delete packages[''].version;
  hash.update(JSON.stringify(packages));
  return hash.digest('hex');
}

function build() {
  // an installed package has the build in lib/
  if (!existsSync(folder)) return;
  if (!existsSync(vite)) {
    if (!existsSync(dist))
      console.error('The dashboard is not built: Vite is not installed. Everything else works.');
    return;
  }
  const digest = digestOfSources();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  try {
    execFileSync(
      existsSync(runtime) ? runtime : process.execPath,
      [vite, 'build', folder, '--logLevel', 'warn'],
      {
        cwd: root,
        stdio: 'inherit',
      },
    );
    writeFileSync(stamp, digest);
  } catch (error) {
    // the gateway works without its dashboard, so an install must not fail because of it
    console.error(`The dashboard could not be built: ${error.message}`);
    if (process.env.npm_lifecycle_event !== 'postinstall') process.exitCode = 1;
  }
}

build();
