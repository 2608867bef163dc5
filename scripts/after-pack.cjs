// Removes what `npm pack` wrote for the package: npm would read npm-shrinkwrap.json instead of package-lock.json.
const { rmSync } = require('node:fs');
const { join } = require('node:path');

for (const name of ['lib', 'npm-shrinkwrap.json'])
  rmSync(join(__dirname, '..', name), { recursive: true, force: true });
