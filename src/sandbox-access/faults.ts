// The simulated faults as switches.
import { invalidRequest } from '../base/errors.ts';
import { type SandboxFaultName, sandboxFaults } from '../contract/sandbox.ts';
import { type ControlDeps, callControl, type SandboxServer } from './control.ts';

/** A fault in a server's own list; `name` marks ours. */
type ServerFault = Record<string, unknown> & { name?: string; times?: number };

/** Where each fault is simulated, and how; `callbacks_held` is a setting. */
const faults: Record<Exclude<SandboxFaultName, 'callbacks_held'>, readonly [SandboxServer, ServerFault]> = {
  platform_outage: ['cloudApi', { does: 'answer', status: 503, on: 'messages' }],
  platform_slow: ['cloudApi', { does: 'delay', ms: 5_000, on: 'messages' }],
  platform_throttled: ['cloudApi', { code: 130429, on: 'messages' }],
  token_rejected: ['cloudApi', { code: 190, on: 'messages' }],
  receiver_failing: ['receiver', { does: 'answer', status: 500 }],
  receiver_slow: ['receiver', { does: 'delay', ms: 20_000 }],
  calendar_outage: ['google', { does: 'refuse', reason: 'backendError', status: 503 }],
  calendar_slow: ['google', { does: 'delay', ms: 8_000 }],
};
const servers: readonly SandboxServer[] = ['cloudApi', 'google', 'receiver'];

const listOn = async (deps: ControlDeps, server: SandboxServer): Promise<ServerFault[]> =>
  (await callControl<{ faults: ServerFault[] }>(deps, server, ['GET', 'faults'])).faults;

/** Every fault, on or off. */
export async function listFaults(deps: ControlDeps) {
  const [settings, ...lists] = await Promise.all([
    callControl<{ holdCallbacks: boolean }>(deps, 'cloudApi', ['GET', 'settings']),
    ...servers.map((server) => listOn(deps, server)),
  ]);
  const active = new Map(lists.flat().map((fault) => [fault.name, fault]));
  return sandboxFaults.map((name) => ({
    name,
    isOn: name === 'callbacks_held' ? settings.holdCallbacks : active.has(name),
    timesLeft: active.get(name)?.times ?? null,
  }));
}

/** Ends every fault of the list and every other one; `callbacks_held` ends with the settings. */
export async function clearFaults(deps: ControlDeps): Promise<void> {
  await Promise.all(servers.map((server) => callControl(deps, server, ['DELETE', 'faults'])));
}

/** Switches a fault on, for all calls or the next `times`, or off. Other faults stay. */
export async function switchFault(
  deps: ControlDeps,
  name: SandboxFaultName,
  { isOn, times }: { isOn: boolean; times?: number | undefined },
): Promise<void> {
  if (name === 'callbacks_held') {
    if (times !== undefined)
      throw invalidRequest([{ path: 'times', message: 'does not apply to `callbacks_held`' }]);
    await callControl(deps, 'cloudApi', ['PATCH', 'settings'], { holdCallbacks: isOn });
    return;
  }
  const [server, fault] = faults[name];
  const others = (await listOn(deps, server)).filter((one) => one.name !== name);
  await callControl(deps, server, ['DELETE', 'faults']);
  const added = isOn ? [{ ...fault, name, ...(times === undefined ? {} : { times }) }] : [];
  for (const one of [...others, ...added]) await callControl(deps, server, ['POST', 'faults'], one);
}
