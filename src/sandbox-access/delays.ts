// The simulated platform's delays, and the way back to the beginning.
import { type SandboxDelays, sandboxDelays } from '../contract/sandbox.ts';
import { type ControlDeps, callControl } from './control.ts';
import { clearFaults } from './faults.ts';
import { clearPhones, type PhonesDeps } from './phones.ts';
import { clearReceived } from './receiver.ts';

type Settings = SandboxDelays & Record<string, unknown>;

/** The delays of these settings, which have others too. */
const delaysOf = (settings: Settings): SandboxDelays =>
  Object.fromEntries(sandboxDelays.map((name) => [name, settings[name]])) as SandboxDelays;

/** The delays that new messages and templates get. */
export const readDelays = async (deps: ControlDeps): Promise<SandboxDelays> =>
  delaysOf(await callControl<Settings>(deps, 'cloudApi', ['GET', 'settings']));

/** Changes delays; what was accepted before keeps its own. */
export const changeDelays = async (
  deps: ControlDeps,
  change: Partial<SandboxDelays>,
): Promise<SandboxDelays> =>
  delaysOf(await callControl<Settings>(deps, 'cloudApi', ['PATCH', 'settings'], change));

/**
 * Empties the account's phones and what the receiver got for its endpoints, ends all faults, and resets the platform's settings. Every
 * step can be repeated, so a request that failed midway is sent again. The gateway's own records stay.
 */
export async function startOver(deps: PhonesDeps, accountId: string): Promise<SandboxDelays> {
  await clearFaults(deps);
  const settings = await callControl<Settings>(deps, 'cloudApi', ['DELETE', 'settings']);
  await clearPhones(deps, accountId);
  await clearReceived(deps, accountId);
  return delaysOf(settings);
}
