// The running gateway that a command calls, with the key of the settings or one made for this command.
import { ChatbotGateway } from '../../client/src/client.ts';
import { createKey, revoke } from '../accounts/keys.ts';
import { systemClock } from '../base/clock.ts';
import { openOutgoing } from '../base/outgoing/outgoing.ts';
import { type Config, readConfig } from '../config.ts';
import type { scopes as allScopes } from '../contract/envelope.ts';
import { accountOf } from './account-of.ts';
import { onDatabase } from './database.ts';
import { CommandError } from './exit-codes.ts';

type Scope = (typeof allScopes)[number];

/** The option of every command that calls the gateway. */
export interface AccountOption {
  /** The account, if there are several; only without GATEWAY_API_KEY. */
  account?: string | undefined;
}

export interface CallOptions extends AccountOption {
  scopes: Scope[];
  /** What the key of this command is called, in the audit log too. */
  name: string;
  /** Seconds after which that key expires, if the command is killed. */
  keySeconds?: number;
}

const aliveWithinMs = 5_000;
const defaultKeySeconds = 900;

/**
 * Calls `work` with a client of the gateway of GATEWAY_URL, by default the one of this machine. Without GATEWAY_API_KEY, creates
 * a key in the database, which ends with the command, or at its expiry if the command is killed.
 */
export async function callGateway<T>(
  options: CallOptions,
  work: (gateway: ChatbotGateway) => Promise<T>,
): Promise<T> {
  const config = readConfig();
  const { url, isLocal, apiKey } = config.gateway;
  if (isLocal && config.port === 0)
    throw new CommandError(
      'settings',
      'PORT is 0, so the address of the gateway is unknown. Set GATEWAY_URL to its address.',
    );
  if (!isLocal && apiKey === null)
    throw new CommandError(
      'settings',
      'GATEWAY_URL is set, but GATEWAY_API_KEY is not. Set it to an API key of that gateway.',
    );
  if (apiKey !== null && options.account !== undefined)
    throw new CommandError('usage', '--account has no effect with GATEWAY_API_KEY, whose account is used.');
  await requireAlive(url, isLocal);
  if (apiKey !== null) return work(new ChatbotGateway({ baseUrl: url, apiKey, retries: 1 }));
  return withOwnKey(config, options, work);
}

async function requireAlive(url: string, isLocal: boolean): Promise<void> {
  const outgoing = openOutgoing({ connectionsPerOrigin: 1, keepAliveMs: 1_000 });
  try {
    await outgoing.request({ method: 'GET', url: `${url}/health/live`, timeoutMs: aliveWithinMs });
  } catch (error) {
    const how = isLocal
      ? 'Start it with "gateway start", or set GATEWAY_URL and GATEWAY_API_KEY if it runs elsewhere.'
      : 'Check GATEWAY_URL, and that it runs.';
    throw new CommandError(
      'unavailable',
      `The gateway at ${url} cannot be reached: ${(error as Error).message}. ${how}`,
      { cause: error },
    );
  } finally {
    await outgoing.close();
  }
}

async function withOwnKey<T>(
  config: Config,
  options: CallOptions,
  work: (gateway: ChatbotGateway) => Promise<T>,
): Promise<T> {
  const { accountId, keyId, apiKey } = await onDatabase(async ({ db }) => {
    const { id } = await accountOf(db, options.account);
    const expiresAt = new Date(systemClock.now() + (options.keySeconds ?? defaultKeySeconds) * 1_000);
    const name = `command line: ${options.name}`;
    const key = await createKey(
      { db, clock: systemClock, cell: config.cell },
      { accountId: id, name, scopes: options.scopes, expiresAt },
    );
    return { accountId: id, keyId: key.id, apiKey: key.apiKey };
  });
  try {
    return await work(new ChatbotGateway({ baseUrl: config.gateway.url, apiKey, retries: 1 }));
  } finally {
    await onDatabase(({ db }) => revoke({ db, clock: systemClock }, { accountId, keyId }));
  }
}
