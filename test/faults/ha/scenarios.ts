// The scenarios of the high-availability campaign: what is done to the cluster, and in which modes.
import { setTimeout as sleep } from 'node:timers/promises';
import type { CampaignFixture } from '../campaign-fixture.ts';
import type { Cluster } from './cluster.ts';
import { type Mode, startTimeout } from './cluster-files.ts';
import type { MovableAddress } from './movable-address.ts';

export interface Scene {
  cluster: Cluster;
  fixture: CampaignFixture;
  /** The address in the gateways' DATABASE_URL; leads to HAProxy, or for a scenario elsewhere. */
  address: MovableAddress;
  /** The node that leads, the one that a switchover chooses, and all but the first. */
  leader: string;
  next: string;
  others: string[];
  report(text: string): void;
}

export interface Scenario {
  modes: readonly Mode[];
  /** Another node leads afterwards. */
  failsOver?: boolean;
  /** Needs Patroni 3.1 or later. */
  needsLockFix?: boolean;
  /** Prepares what the fault has to meet. */
  prepare?(scene: Scene): Promise<void>;
  /** Does it. Resolves with the time at which the database accepted writes again, when the cluster needs no more care. */
  act(scene: Scene): Promise<number>;
  /** How long load continues afterwards. Default 12 s. */
  afterMs?: number;
}

const durable = ['sync', 'strict'] as const;
/** Without synchronous replication, guarantees break: the proof that the check can fail. */
const all = [...durable, 'async'] as const;

/** Waits for another leader; resolves with the time at which it was seen. */
async function promoted({ cluster, leader, report }: Scene, withinMs?: number): Promise<number> {
  report(`${await cluster.patroni.otherLeader(leader, withinMs)} leads`);
  return Date.now();
}

async function switchOver({ cluster, leader, next, report }: Scene): Promise<void> {
  const { status, text } = await cluster.patroni.switchover(leader, next);
  report(`switchover: ${status} ${text}`);
}

/** The primary can reach neither etcd nor its standbys, and nobody can ask it. */
async function isolated({ cluster, leader }: Scene, work: () => Promise<number>): Promise<number> {
  const { etcd, replication, peerRest } = cluster.node(leader);
  for (const way of [etcd, replication, peerRest]) way.block();
  const backMs = await work();
  await sleep(3_000);
  for (const way of [peerRest, replication, etcd]) way.unblock();
  return backMs;
}

/** Replication stands still for a moment, then the primary's machine dies: what it alone has is gone. */
async function stallAndKill(scene: Scene): Promise<number> {
  const { cluster, leader, report } = scene;
  // stopping the receivers would not do: what is in their sockets would still be read
  const { replication } = cluster.node(leader);
  replication.block();
  await sleep(1_500);
  cluster.kill(leader);
  replication.unblock();
  try {
    return await promoted(scene, 45_000);
  } catch {
    // rightly, if the primary had given up its standby: only it has everything
    report('nobody is promoted: the primary had noticed, and worked alone since then');
    cluster.start(leader);
    await cluster.patroni.leader();
    return Date.now();
  } finally {
    cluster.start(leader);
  }
}

export const scenarios: Record<string, Scenario> = {
  switchover: {
    modes: durable,
    failsOver: true,
    async act(scene) {
      await switchOver(scene);
      return promoted(scene);
    },
  },
  'late-address': {
    modes: durable,
    failsOver: true,
    async prepare({ cluster, address, leader }) {
      address.pointTo(cluster.node(leader).postgresPort);
      address.cut();
      await sleep(2_000);
    },
    async act(scene) {
      const { cluster, address, leader, next } = scene;
      await switchOver(scene);
      await promoted(scene);
      const standby = async () => {
        const [row] = await cluster.sqlAt(leader, 'select pg_is_in_recovery() as standby');
        return row?.standby === true;
      };
      await cluster.patroni.until('the old primary is a standby', standby, 60_000);
      // connections that are made meanwhile lead to the standby
      await sleep(4_000);
      address.pointTo(cluster.node(next).postgresPort);
      return Date.now();
    },
  },
  'kill-postmaster': {
    modes: durable,
    async act(scene) {
      const { cluster, leader, report } = scene;
      cluster.killPostmaster(leader);
      try {
        return await promoted(scene, 30_000);
      } catch {
        report('Patroni restarted it: no other node answered in time');
        await cluster.patroni.leader();
        // when it accepted writes again is measured by writing
        return 0;
      }
    },
  },
  'kill-postmaster-recovers': {
    modes: ['sync'],
    async prepare({ cluster }) {
      await cluster.patroni.configure(startTimeout(300));
      await sleep(3_000);
    },
    async act({ cluster, leader }) {
      cluster.killPostmaster(leader);
      // Patroni calls it the primary until it notices; a write is possible after the crash recovery
      const write = () => cluster.sqlAt(leader, 'create table if not exists recovered ()').then(() => true);
      await cluster.patroni.until('the primary has recovered', write, 90_000);
      const backMs = Date.now();
      await cluster.patroni.configure(startTimeout(0));
      return backMs;
    },
  },
  'kill-node': {
    modes: durable,
    failsOver: true,
    async act(scene) {
      scene.cluster.kill(scene.leader);
      const backMs = await promoted(scene);
      scene.cluster.start(scene.leader);
      return backMs;
    },
  },
  'kill-patroni': {
    modes: ['sync'],
    failsOver: true,
    async act(scene) {
      const { cluster, leader, report } = scene;
      cluster.killPatroni(leader);
      const backMs = await promoted(scene);
      const [row] = await cluster.sqlAt(leader, 'select pg_is_in_recovery() as standby').catch(() => []);
      report(
        `the old primary, without Patroni, is ${row === undefined ? 'gone' : row.standby ? 'a standby' : 'a primary'}`,
      );
      await sleep(3_000);
      cluster.start(leader);
      return backMs;
    },
  },
  'freeze-node': {
    modes: durable,
    failsOver: true,
    needsLockFix: true,
    async act(scene) {
      scene.cluster.freeze(scene.leader);
      const backMs = await promoted(scene);
      await sleep(5_000);
      scene.cluster.thaw(scene.leader);
      return backMs;
    },
  },
  'leader-cut-from-etcd': {
    modes: durable,
    failsOver: true,
    async act(scene) {
      const { etcd } = scene.cluster.node(scene.leader);
      etcd.block();
      const backMs = await promoted(scene);
      await sleep(3_000);
      etcd.unblock();
      return backMs;
    },
  },
  'leader-isolated': {
    modes: all,
    failsOver: true,
    act: (scene) => isolated(scene, () => promoted(scene)),
  },
  'etcd-frozen': {
    modes: ['sync'],
    async act({ cluster, report }) {
      cluster.freezeEtcd();
      await sleep(25_000);
      report(`primaries without etcd: ${(await cluster.patroni.primaries()).join() || 'none'}`);
      cluster.thawEtcd();
      await cluster.patroni.leader();
      return Date.now();
    },
  },
  'standby-lost': {
    modes: ['sync'],
    async act({ cluster, next }) {
      cluster.kill(next);
      await sleep(15_000);
      cluster.start(next);
      return Date.now();
    },
  },
  'all-standbys-lost': {
    modes: ['strict'],
    async act({ cluster, others }) {
      for (const name of others) cluster.kill(name);
      await sleep(40_000);
      for (const name of others) cluster.start(name);
      await cluster.patroni.untilSynchronous();
      return Date.now();
    },
  },
  'stalled-then-killed': { modes: all, act: stallAndKill },
  /** With 3,000 queued messages: rows that both have, dispatched in transactions that only the primary has. */
  'campaign-stalled-then-killed': {
    modes: all,
    async prepare({ fixture: { call, senderIds, templateIds } }) {
      for (const id of senderIds) await call('PATCH', `/v1/senders/${id}`, { messagesPerSecond: 100 });
      const variables = { 1: 'Ada', 2: '10 %', 3: 'Friday' };
      const first = Date.now() % 10_000_000;
      for (let part = 0; part < 3; part += 1) {
        const phones = Array.from(
          { length: 1_000 },
          (_, index) => `1888${10_000_000 + first + part * 1_000 + index}`,
        );
        await call('POST', '/v1/templates/send', {
          templateId: templateIds.summer_sale,
          senderId: senderIds[part % 2],
          recipients: phones.map((phone) => ({ phone, variables })),
        });
      }
    },
    act: stallAndKill,
    afterMs: 40_000,
  },
};
