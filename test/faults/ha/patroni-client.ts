// Patroni's REST interface: who leads, who follows, planned switchovers and settings.
import { setTimeout as sleep } from 'node:timers/promises';

export interface Member {
  name: string;
  role: string;
  state: string;
  lag?: number | string;
}

export type PatroniClient = ReturnType<typeof openPatroniClient>;

const pollMs = 200;
/** Bytes of WAL by which a whole cluster's replicas may be behind. */
const smallLag = 10_000_000;

/** Opens a client of the nodes' interfaces, asked directly. */
export function openPatroniClient(nodes: readonly { name: string; restPort: number }[]) {
  const fetchFrom = (restPort: number, path: string, init: RequestInit, withinMs: number) =>
    fetch(`http://127.0.0.1:${restPort}${path}`, { ...init, signal: AbortSignal.timeout(withinMs) });

  /** The first response of any node. */
  async function ask(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; text: string }> {
    let failure: unknown;
    for (const { restPort } of nodes) {
      try {
        const init = { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
        const response = await fetchFrom(restPort, path, init, 60_000);
        return { status: response.status, text: await response.text() };
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  async function members(): Promise<Member[]> {
    for (const { restPort } of nodes) {
      try {
        const response = await fetchFrom(restPort, '/cluster', {}, 2_000);
        return ((await response.json()) as { members: Member[] }).members;
      } catch {
        // the next one may know
      }
    }
    return [];
  }

  /** The nodes that say of themselves that they are the primary. */
  async function primaries(): Promise<string[]> {
    const isPrimary = async (restPort: number) => {
      const response = await fetchFrom(restPort, '/primary', {}, 1_000).catch(() => undefined);
      await response?.body?.cancel();
      return response?.status === 200;
    };
    const found = await Promise.all(nodes.map(({ restPort }) => isPrimary(restPort)));
    return nodes.filter((_, index) => found[index]).map(({ name }) => name);
  }

  /** Repeats a check until it is true or returns a value; rejects after `withinMs` with what was seen last. */
  async function until<T>(
    what: string,
    check: () => Promise<T | undefined | false>,
    withinMs: number,
  ): Promise<T> {
    const end = performance.now() + withinMs;
    let failure: unknown;
    while (performance.now() < end) {
      try {
        const found = await check();
        if (found) return found;
      } catch (error) {
        failure = error;
      }
      await sleep(pollMs);
    }
    const seen = JSON.stringify(await members());
    throw new Error(`Not within ${withinMs} ms: ${what}. ${seen} ${failure ? String(failure) : ''}`);
  }

  const isRunning = ({ state, role }: Member) =>
    state === 'running' || state === 'streaming' || role === 'leader';

  return {
    members,
    primaries,
    until,
    leader: () => until('somebody leads', async () => (await primaries())[0], 90_000),
    /** Another node than `name` leads. */
    otherLeader: (name: string, withinMs = 90_000) =>
      until(
        `another node than ${name} leads`,
        async () => (await primaries()).find((one) => one !== name),
        withinMs,
      ),
    /** Every node leads or follows closely. */
    untilWhole: () =>
      until(
        'every node leads or follows',
        async () => {
          const all = await members();
          const leaders = all.filter(({ role }) => role === 'leader');
          const isClose = ({ role, lag }: Member) => role === 'leader' || Number(lag) < smallLag;
          const isWhole = all.length === nodes.length && leaders.length === 1;
          return isWhole && all.every((member) => isRunning(member) && isClose(member)) && all;
        },
        120_000,
      ),
    untilSynchronous: () =>
      until(
        'a standby is synchronous',
        async () => (await members()).some(({ role }) => role === 'sync_standby'),
        60_000,
      ),
    configure: (settings: Record<string, unknown>) => ask('PATCH', '/config', settings),
    /** A planned change of roles. */
    switchover: (leader: string, candidate: string) => ask('POST', '/switchover', { leader, candidate }),
  };
}
