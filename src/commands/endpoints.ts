// `endpoint`: creates, lists, tests and changes webhook endpoints, through the API of a running gateway.
import type { ChatbotGateway, CreateEndpoint, Endpoint } from '../../client/src/client.ts';
import { subscribableKinds } from '../contract/webhooks.ts';
import { type AccountOption, callGateway } from './call-gateway.ts';
import { CommandError } from './exit-codes.ts';
import { say } from './output.ts';
import { readSecret } from './read-secret.ts';

const call = <T>(
  command: string,
  { account }: AccountOption,
  work: (gateway: ChatbotGateway) => Promise<T>,
) => callGateway({ account, scopes: ['manage'], name: `endpoint ${command}` }, work);

type Kinds = NonNullable<CreateEndpoint['events']>;

/** The kinds of a comma-separated list; `all` is every kind. Throws for unknown ones. */
export function kindsOf(list: string): Kinds {
  if (list === 'all') return [...subscribableKinds];
  const kinds = list.split(',').map((kind) => kind.trim());
  const unknown = kinds.filter((kind) => !(subscribableKinds as readonly string[]).includes(kind));
  if (unknown.length === 0) return kinds as Kinds;
  throw new CommandError(
    'usage',
    `Unknown kind of event: ${unknown.join(', ')}. Use all, or some of ${subscribableKinds.join(', ')}.`,
  );
}

const lineOf = ({ _id, status, url, events, disabledReason }: Endpoint) =>
  `${_id}  ${status}  ${url}  ${events.join(',')}${disabledReason === null ? '' : `: ${disabledReason}`}`;

/** Lists the endpoints. */
export async function endpointList(options: AccountOption): Promise<object> {
  return call('list', options, async (gateway) => {
    const endpoints = [];
    for await (const endpoint of gateway.listEndpoints()) endpoints.push(endpoint);
    for (const endpoint of endpoints) say(lineOf(endpoint));
    return { endpoints };
  });
}

/** Creates an endpoint and prints its secret. */
export async function endpointCreate(
  url: string,
  options: AccountOption & { events?: string; description?: string; secretFile?: string },
): Promise<object> {
  const body: CreateEndpoint = { url };
  if (options.events !== undefined) body.events = kindsOf(options.events);
  if (options.description !== undefined) body.description = options.description;
  if (options.secretFile !== undefined) body.secret = readSecret('--secret-file', options.secretFile);
  return call('create', options, async (gateway) => {
    const endpoint = await gateway.createEndpoint({ body });
    say(lineOf(endpoint));
    say(`  secret  ${endpoint.secret}\nThe secret is shown only once.`);
    return { endpoint };
  });
}

/** Sends a test event and prints the receiver's response. */
export async function endpointTest(id: string, options: AccountOption): Promise<{ ok: boolean }> {
  return call('test', options, async (gateway) => {
    const result = await gateway.testEndpoint({ id });
    say(
      result.delivered
        ? `The receiver accepted the test event: HTTP ${result.statusCode}, ${result.durationMs} ms.`
        : `The receiver did not accept the test event: ${result.detail ?? `HTTP ${result.statusCode}`}, ${result.durationMs} ms.`,
    );
    return { ok: result.delivered, ...result };
  });
}

/** Pauses an endpoint, or resumes a paused, resting or disabled one. */
export async function endpointSetStatus(
  id: string,
  status: 'active' | 'paused',
  options: AccountOption,
): Promise<object> {
  return call(status === 'paused' ? 'pause' : 'resume', options, async (gateway) => {
    const endpoint = await gateway.updateEndpoint({ id, body: { status } });
    say(lineOf(endpoint));
    return { endpoint };
  });
}

/** Creates a new secret; the old one stays valid for the overlap. */
export async function endpointRotateSecret(
  id: string,
  { overlap, ...options }: AccountOption & { overlap: number },
): Promise<object> {
  return call('rotate-secret', options, async (gateway) => {
    const endpoint = await gateway.rotateEndpointSecret({ id, body: { overlapSeconds: overlap } });
    say(`${endpoint.secret}\nThe secret is shown only once.`);
    return { endpoint };
  });
}

/** Deletes an endpoint; its pending deliveries become dead. */
export async function endpointRemove(
  id: string,
  options: AccountOption & { yes?: boolean },
): Promise<object> {
  if (!options.yes)
    throw new CommandError('usage', `Nothing was removed. Add --yes to remove the endpoint ${id}.`);
  return call('remove', options, async (gateway) => {
    await gateway.deleteEndpoint({ id });
    say(`Removed the endpoint ${id}.`);
    return { endpointId: id, removed: true };
  });
}
