// A reader of Node's CPU profiles: where a process spent its time, by kind of code and by our own functions.
import { readFileSync } from 'node:fs';

interface Node {
  id: number;
  callFrame: { functionName: string; url: string; lineNumber: number };
  children?: number[];
}

interface Profile {
  nodes: Node[];
  /** Microseconds of the machine's monotonic clock. */
  startTime: number;
  samples: number[];
  timeDeltas: number[];
}

export interface Share {
  name: string;
  /** Milliseconds in the code itself, and including everything it called. */
  selfMs: number;
  totalMs: number;
}

export interface ProfileReport {
  busyMs: number;
  /** By kind: our files, packages, Node's modules, garbage collection. */
  kinds: Share[];
  /** The same, with the time of Node's own code attributed to our nearest calling file or package. */
  owners: Share[];
  /** Single functions, by their own time. */
  functions: Share[];
  /** Our functions, by their time including calls. */
  ours: Share[];
}

function kindOf({ callFrame: { functionName, url } }: Node): string {
  const inPackage = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (inPackage) return `package ${inPackage}`;
  const own = /\/src\/(.+)$/.exec(url)?.[1];
  if (own) return `src/${own}`;
  if (url.startsWith('node:internal/crypto') || url.startsWith('node:crypto')) return 'node crypto';
  if (url.startsWith('node:')) return `node ${url.slice('node:'.length).replace('internal/', '')}`;
  if (functionName.startsWith('(')) return functionName;
  return `native ${functionName}`;
}

const nameOf = (node: Node) =>
  `${node.callFrame.functionName || '(anonymous)'} ${node.callFrame.url.replace(/^.*\/(src|node_modules)\//, '$1/')}:${node.callFrame.lineNumber + 1}`;

class Tally {
  readonly #shares = new Map<string, Share>();
  add(name: string, selfMs: number, totalMs: number): void {
    const share = this.#shares.get(name) ?? { name, selfMs: 0, totalMs: 0 };
    share.selfMs += selfMs;
    share.totalMs += totalMs;
    this.#shares.set(name, share);
  }
  largest(by: 'selfMs' | 'totalMs', count: number): Share[] {
    return [...this.#shares.values()].sort((a, b) => b[by] - a[by]).slice(0, count);
  }
}

/** The profile between two instants of the machine's clock (milliseconds). */
export function readProfile(file: string, fromMs: number, toMs: number): ProfileReport {
  const profile = JSON.parse(readFileSync(file, 'utf8')) as Profile;
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map<number, number>();
  for (const node of profile.nodes) for (const child of node.children ?? []) parents.set(child, node.id);
  const kinds = new Tally();
  const owners = new Tally();
  const functions = new Tally();
  const ours = new Tally();
  let at = profile.startTime;
  let busyMs = 0;
  profile.samples.forEach((id, index) => {
    const ms = (profile.timeDeltas[index] ?? 0) / 1000;
    at += profile.timeDeltas[index] ?? 0;
    const node = nodes.get(id);
    if (!node || node.callFrame.functionName === '(idle)') return;
    if (at / 1000 < fromMs || at / 1000 > toMs) return;
    busyMs += ms;
    functions.add(nameOf(node), ms, ms);
    const seenKinds = new Set<string>();
    const seenOurs = new Set<string>();
    let owner: string | undefined;
    for (let up: number | undefined = id; up !== undefined; up = parents.get(up)) {
      const above = nodes.get(up);
      if (!above) break;
      const kind = kindOf(above);
      if (owner === undefined && /^(package|src)/.test(kind)) owner = kind;
      if (!seenKinds.has(kind)) kinds.add(kind, up === id ? ms : 0, ms);
      seenKinds.add(kind);
      if (!/\/src\//.test(above.callFrame.url) || above.callFrame.url.includes('node_modules')) continue;
      const name = nameOf(above);
      if (!seenOurs.has(name)) ours.add(name, up === id ? ms : 0, ms);
      seenOurs.add(name);
    }
    owners.add(owner ?? kindOf(node), ms, ms);
  });
  return {
    busyMs,
    kinds: kinds.largest('selfMs', 30),
    owners: owners.largest('selfMs', 30),
    functions: functions.largest('selfMs', 30),
    ours: ours.largest('totalMs', 40),
  };
}
