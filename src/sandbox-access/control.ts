// Calls of the sandbox's control APIs.
import { AppError } from '../base/errors.ts';
import type { Outgoing } from '../base/outgoing/outgoing.ts';

/** Addresses of the sandbox that the gateway runs. */
export interface SandboxUrls {
  cloudApiUrl: string;
  googleUrl: string;
  receiverUrl: string;
}

export interface ControlDeps {
  outgoing: Outgoing;
  sandbox: SandboxUrls;
}

export type SandboxServer = 'cloudApi' | 'google' | 'receiver';

const timeoutMs = 5_000;
const maxResponseBytes = 10 * 1024 * 1024;

/**
 * Calls a control API. Throws 400 or 404 with its reason, and 503 `provider_unavailable` while the sandbox does not respond, as when
 * it restarts.
 */
export async function callControl<T>(
  { outgoing, sandbox }: ControlDeps,
  server: SandboxServer,
  [method, path]: readonly [method: string, path: string],
  body?: unknown,
): Promise<T> {
  const response = await outgoing
    .request({
      method,
      url: `${sandbox[`${server}Url`]}/sandbox/${path}`,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
      timeoutMs,
      maxResponseBytes,
    })
    .catch(() => undefined);
  const json = response && parsed(response.body);
  if (response?.status === 200 && json !== undefined) return json as T;
  const reason = String((json as { error?: unknown } | undefined)?.error ?? '');
  if (response?.status === 404) throw new AppError('not_found', reason);
  if (response?.status === 400) throw new AppError('invalid_request', reason);
  throw new AppError(
    'provider_unavailable',
    'The sandbox does not respond. It restarts by itself; retry in a few seconds.',
    {
      retryAfterSeconds: 2,
    },
  );
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
