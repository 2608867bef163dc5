// `health`: asks the running gateway whether it is ready, for health checks of containers and service managers.
import { openOutgoing } from '../base/outgoing/outgoing.ts';
import { readConfig } from '../config.ts';
import { CommandError } from './exit-codes.ts';
import { say } from './output.ts';

const timeoutMs = 4_000;

/** Prints the state. Throws with the exit code of an unavailable gateway unless it is ready. */
export async function health(): Promise<object> {
  const { url } = readConfig().gateway;
  const outgoing = openOutgoing({ connectionsPerOrigin: 1, keepAliveMs: 1_000 });
  try {
    const { status, body } = await outgoing
      .request({ method: 'GET', url: `${url}/health/ready`, timeoutMs })
      .catch((error: Error) => {
        throw new CommandError(
          'unavailable',
          `The gateway at ${url} does not respond: ${error.message}. Check that it runs, and PORT or GATEWAY_URL.`,
        );
      });
    const { message, data } = parsed(body);
    if (status !== 200) throw new CommandError('unavailable', message ?? `The gateway responded ${status}.`);
    say(message ?? 'Ready.');
    return { ok: true, ...data };
  } finally {
    await outgoing.close();
  }
}

function parsed(body: Buffer): { message?: string; data?: object } {
  try {
    return JSON.parse(body.toString()) as { message?: string; data?: object };
  } catch {
    return {};
  }
}
