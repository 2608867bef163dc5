// Who acts: set for each request and command, and read where a change is recorded, so that no operation has to pass it on.
import { AsyncLocalStorage } from 'node:async_hooks';

export interface Actor {
  kind: 'key' | 'session' | 'operator' | 'system';
  /** Of the key or session. */
  id: string | null;
  name: string | null;
  /** The address of the request. */
  address: string | null;
}

const system: Actor = { kind: 'system', id: null, name: null, address: null };
const operator: Actor = { kind: 'operator', id: null, name: null, address: null };
const actors = new AsyncLocalStorage<Actor>();

/** Calls `work`, whose changes are recorded as those of this actor. */
export const actingAs = <T>(actor: Actor, work: () => T): T => actors.run(actor, work);

/** The same for the command line. */
export const actingAsOperator = <T>(work: () => T): T => actors.run(operator, work);

/** The actor of the current request as objects remember who made them. */
export function currentCreator(): Pick<Actor, 'kind' | 'id' | 'name'> {
  const { kind, id, name } = currentActor();
  return { kind, id, name };
}

/** The actor of the current request or command; else the gateway itself. */
export const currentActor = (): Actor => actors.getStore() ?? system;
