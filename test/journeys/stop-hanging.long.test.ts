// Stop signals while the platform hangs: the program waits for the call, but not longer than a container or service manager does.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { cloudApiControl } from '../../sandbox/control.ts';
import { sendTo } from '../harness/demo-account.ts';
import { gatewayClient } from '../harness/gateway-client.ts';
import {
  endBy,
  killRepeatedly,
  openProgramFolder,
  type ProgramFolder,
  patienceMs,
} from '../harness/program.ts';
import { until } from '../harness/until.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let workspace: ProgramFolder;

beforeAll(async () => {
  workspace = await openProgramFolder({ migrated: true });
});
afterAll(() => workspace?.close());

test('stops in time while the platform hangs, immediately on the second signal, and does not lose the message', async () => {
  const { program, demo } = await workspace.startDemo();
  const platform = cloudApiControl(demo.sandbox.cloudApiUrl);
  await platform.addFault({ on: 'messages', does: 'hang', when: 'after' });
  const gateway = gatewayClient(demo.baseUrl, demo.apiKey);
  const phone = '15550400001';
  const answer = sendTo(gateway, phone).catch(() => undefined);
  await until(async () => expect(await platform.ledger({ phone })).toHaveLength(1));
  program.process.kill('SIGTERM');
  await program.says(/Stopping \(SIGTERM\)/);
  const end = await endBy(program, () => killRepeatedly(program, 'SIGTERM'));
  expect(end.code).toBe(1);
  await until(() => expect(workspace.living()).toEqual([]));
  await answer;

  const next = await workspace.startDemo();
  const again = gatewayClient(next.demo.baseUrl, next.demo.apiKey);
  await until(async () => {
    const { items } = await again<{ items: { status: string }[] }>('GET', `/v1/messages?phone=${phone}`);
    expect(items.map(({ status }) => status)).toEqual(['read']);
  });
  const second = cloudApiControl(next.demo.sandbox.cloudApiUrl);
  await second.addFault({ on: 'messages', does: 'hang', when: 'after' });
  const cut = sendTo(again, '15550400002').catch(() => undefined);
  await until(async () => expect(await second.ledger({ phone: '15550400002' })).toHaveLength(1));
  const slow = await endBy(next.program, () => next.program.process.kill('SIGTERM'));
  expect(slow).toMatchObject({ code: 0 });
  expect(slow.tookMs).toBeLessThan(patienceMs);
  // the second signal did not wait for the hanging call
  expect(end.tookMs).toBeLessThan(slow.tookMs);
  expect(await cut).toMatchObject({ status: 'queued' });
  expect(workspace.living()).toEqual([]);
});
