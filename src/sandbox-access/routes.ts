// Routes below /sandbox/, of a gateway that runs its sandbox alone: phones of recipients, the receiver's events, simulated faults and delays.
import { success } from '../contract/envelope.ts';
import {
  FaultBody,
  FaultParams,
  PhoneActBody,
  PhoneActed,
  PhoneParams,
  ReceiverEvents,
  ReceiverQuery,
  SandboxDelays,
  SandboxDelaysBody,
  SandboxFaults,
  SandboxMessages,
  SandboxPhones,
} from '../contract/sandbox.ts';
import { ok } from '../http/reply.ts';
import type { Server } from '../http/request.ts';
import type { SandboxUrls } from './control.ts';
import { changeDelays, readDelays, startOver } from './delays.ts';
import { listFaults, switchFault } from './faults.ts';
import { actOnPhone, listPhones, type PhonesDeps, readPhone } from './phones.ts';
import { listReceived } from './receiver.ts';

export type SandboxRoutesDeps = Omit<PhonesDeps, 'sandbox'> & {
  /** Absent with a real platform: then there are no routes. */
  sandbox?: SandboxUrls | undefined;
};

const reading = { scope: 'conversations:read' } as const;
const manage = { scope: 'manage' } as const;

/** Registers the routes if the gateway runs its sandbox. They are documented in docs/sandbox.md. */
export function sandboxRoutes(server: Server, { sandbox, ...rest }: SandboxRoutesDeps): void {
  if (!sandbox) return;
  const deps = { ...rest, sandbox };
  phoneRoutes(server, deps);
  delayRoutes(server, deps);
  server.get(
    '/sandbox/receiver/events',
    {
      schema: { hide: true, querystring: ReceiverQuery, response: { 200: success(ReceiverEvents) } },
      config: manage,
    },
    async ({ caller, query }) =>
      ok('Events listed.', { items: await listReceived(deps, caller.accountId, query) }),
  );
  server.get(
    '/sandbox/faults',
    { schema: { hide: true, response: { 200: success(SandboxFaults) } }, config: manage },
    async () => ok('Faults listed.', { items: await listFaults(deps) }),
  );
  server.put(
    '/sandbox/faults/:name',
    {
      schema: { hide: true, params: FaultParams, body: FaultBody, response: { 200: success(SandboxFaults) } },
      config: manage,
    },
    async ({ params, body }) => {
      await switchFault(deps, params.name, body);
      return ok('Fault switched.', { items: await listFaults(deps) });
    },
  );
}

function delayRoutes(server: Server, deps: PhonesDeps): void {
  const response = { 200: success(SandboxDelays) };
  server.get('/sandbox/delays', { schema: { hide: true, response }, config: manage }, async () =>
    ok('Delays listed.', await readDelays(deps)),
  );
  server.patch(
    '/sandbox/delays',
    { schema: { hide: true, body: SandboxDelaysBody, response }, config: manage },
    async ({ body }) => ok('Delays changed.', await changeDelays(deps, body)),
  );
  server.post(
    '/sandbox/start-over',
    { schema: { hide: true, response }, config: manage },
    async ({ caller }) => ok('Started over.', await startOver(deps, caller.accountId)),
  );
}

function phoneRoutes(server: Server, deps: PhonesDeps): void {
  server.get(
    '/sandbox/phones',
    { schema: { hide: true, response: { 200: success(SandboxPhones) } }, config: reading },
    async ({ caller }) => ok('Phones listed.', { items: await listPhones(deps, caller.accountId) }),
  );
  server.get(
    '/sandbox/phones/:phone/messages',
    {
      schema: { hide: true, params: PhoneParams, response: { 200: success(SandboxMessages) } },
      config: reading,
    },
    async ({ caller, params }) =>
      ok('Messages listed.', { items: await readPhone(deps, caller, params.phone) }),
  );
  server.post(
    '/sandbox/phones/:phone/messages',
    {
      schema: { hide: true, params: PhoneParams, body: PhoneActBody, response: { 200: success(PhoneActed) } },
      config: reading,
    },
    async ({ caller, params, body }) =>
      ok('Done.', { messageId: await actOnPhone(deps, caller.accountId, params.phone, body) }),
  );
}
