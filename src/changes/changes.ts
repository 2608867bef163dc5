// Recent changes of this process: gathered in memory while somebody listens, and written twice a second, outside of all transactions.
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Db, Tx } from '../db/db.ts';
import {
  addChange,
  type ChangedKinds,
  frameOf,
  isSubjectEvent,
  type Kind,
  kindOfEvent,
  kindsOfRoute,
} from './kinds.ts';
import { insertChanges, insertReload } from './store.ts';

export interface Changes {
  /** Records a change of an account's object. May be called before its commit, up to half a second. Costs nothing while nobody listens. */
  note(accountId: string, kind: Kind, id?: string): void;
  /** Records the objects of webhook events. */
  noteEvents(events: readonly { accountId: string; kind: string; subjectId: string }[]): void;
  /** Records what a successful request to this route changed. */
  noteRequest(accountId: string, route: string): void;
  /** Records that deliveries of these endpoints changed. */
  noteDeliveries(endpointIds: readonly string[]): void;
  /** The accounts that somebody listens to. */
  heardAccounts(): string[];
  /** Somebody listens to these accounts, in any process: changes are recorded for the next 90 seconds. */
  listen(accountIds: readonly string[]): void;
  /** Writes what is gathered. */
  stop(): Promise<void>;
}

export interface ChangesDeps {
  db: Db;
  clock: Clock;
  log: Log;
}

const writeEveryMs = 500;
/** Longer than a page may be away and come back with `Last-Event-ID`, and than several of the listeners' announcements. */
const listensForMs = 90_000;

interface Gathered {
  accounts: Map<string, ChangedKinds>;
  endpointIds: Set<string>;
}
const nothing = (): Gathered => ({ accounts: new Map(), endpointIds: new Set() });
const isEmpty = ({ accounts, endpointIds }: Gathered) => accounts.size + endpointIds.size === 0;

/** Opens the changes of a process. */
export function openChanges(deps: ChangesDeps): Changes {
  /** Until when somebody listens, by account. */
  const listening = new Map<string, number>();
  let gathering = nothing();
  /** Gathered before the last write: the changes are committed by now. */
  let ripe = nothing();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  function isHeard(accountId: string): boolean {
    const until = listening.get(accountId);
    if (until === undefined) return false;
    if (deps.clock.steady() <= until) return true;
    listening.delete(accountId);
    return false;
  }

  function note(accountId: string, kind: Kind, id?: string): void {
    if (listening.size === 0 || !isHeard(accountId)) return;
    const kinds = gathering.accounts.get(accountId) ?? new Map();
    gathering.accounts.set(accountId, kinds);
    addChange(kinds, kind, id);
    writeSoon();
  }

  function writeSoon(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      writing = writing.then(turn);
    }, writeEveryMs);
    timer.unref();
  }

  async function turn(): Promise<void> {
    const due = ripe;
    ripe = gathering;
    gathering = nothing();
    if (!isEmpty(ripe)) writeSoon();
    await write(due);
  }

  async function write(due: Gathered): Promise<void> {
    if (isEmpty(due)) return;
    const changes = [...due.accounts].map(([accountId, kinds]) => ({ accountId, kinds: frameOf(kinds) }));
    try {
      const accountIds = [...listening.keys()];
      await insertChanges(deps.db, changes, { endpointIds: [...due.endpointIds], accountIds });
    } catch (error) {
      deps.log.warn({ err: error }, 'changes.not_recorded');
      await insertReload(deps.db, 'changes were not recorded').catch(() => undefined);
    }
  }

  return {
    note,
    noteEvents(events) {
      if (listening.size === 0) return;
      for (const { accountId, kind: event, subjectId } of events) {
        const kind = kindOfEvent(event);
        if (kind) note(accountId, kind, isSubjectEvent(event) ? subjectId : undefined);
      }
    },
    noteRequest(accountId, route) {
      if (listening.size === 0) return;
      for (const kind of kindsOfRoute(route)) note(accountId, kind);
    },
    noteDeliveries(endpointIds) {
      if (listening.size === 0) return;
      for (const id of endpointIds) gathering.endpointIds.add(id);
      writeSoon();
    },
    heardAccounts: () => [...listening.keys()].filter(isHeard),
    listen(accountIds) {
      const until = deps.clock.steady() + listensForMs;
      for (const id of accountIds) listening.set(id, until);
    },
    async stop() {
      clearTimeout(timer);
      await writing;
      await write(ripe);
      await write(gathering);
      [ripe, gathering] = [nothing(), nothing()];
    },
  };
}

/** What a process noted in its last second is lost with it: event streams say that pages have to be read again. */
export async function reloadAfterEnd(tx: Tx, processIds: readonly number[]): Promise<number> {
  await insertReload(tx, `processes ${processIds.join()} ended`);
  return 0;
}

/** Nobody noted what changed before this process started. */
export async function reloadAfterStart(db: Db, processId: number): Promise<void> {
  await insertReload(db, `process ${processId} started`);
}
