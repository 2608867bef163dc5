// The tests of the ready-made alerts, run by Prometheus' own tool where it is installed (apt-get install prometheus).
import { execFile, execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const folder = fileURLToPath(new URL('../../ops/prometheus', import.meta.url));

function hasPromtool(): boolean {
  try {
    execFileSync('promtool', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

if (hasPromtool())
  test('every alert fires when it should, and only then', async () => {
    const { stdout } = await promisify(execFile)('promtool', ['test', 'rules', 'alerts.test.yaml'], {
      cwd: folder,
    });
    expect(stdout).toContain('SUCCESS');
  }, 60_000);
else test('alerts NOT TESTED: promtool is not installed here', () => expect(hasPromtool()).toBe(false));
