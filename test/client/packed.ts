// The packed client, installed in a directory without access to the repository.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildClient } from '../../scripts/build-client.ts';

/** Packs the client and installs the tarball in `folder`; returns the package's directory. */
export function installPackedClient(folder: string): string {
  buildClient(join(folder, 'built'));
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: join(folder, 'built') });
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  const installed = join(folder, 'node_modules/chatbot-gateway-client');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, tarball), '-C', installed, '--strip-components', '1']);
  return installed;
}
