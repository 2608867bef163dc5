// Finds plans in which PostgreSQL's recheck of a concurrently changed row breaks the pruning of partitions at run time.

/** A node of `explain (format json)`. */
export interface PlanNode {
  'Node Type': string;
  'Parent Relationship'?: string;
  'Subplan Name'?: string;
  Operation?: string;
  'Relation Name'?: string;
  'Index Cond'?: string;
  Filter?: string;
  Plans?: PlanNode[];
}

interface Found {
  node: PlanNode;
  /** From the root to its parent. */
  path: PlanNode[];
}

/** The partition keys, by the names of the partitions. */
const partitionKeys: [partition: RegExp, column: string][] = [
  [/^(?:messages|received_messages)_/, 'id'],
  [/^(?:deliveries|attempts)_/, 'subject_id'],
];

/** Nodes that read everything below them before they return a row. */
const reading = new Set(['Sort', 'Incremental Sort', 'Hash', 'Materialize']);
/** A recheck has a copy of the rows of these nodes, and does not execute what is below. */
const copied = new Set(['Subquery Scan', 'CTE Scan', 'Function Scan', 'Values Scan']);

function* nodesFrom(node: PlanNode, path: PlanNode[] = []): Generator<Found> {
  yield { node, path };
  for (const child of node.Plans ?? []) yield* nodesFrom(child, [...path, node]);
}

/** The values to which a scan of a partition compares the partition key. */
function keyValues(scan: PlanNode): string[] {
  const key = partitionKeys.find(([partition]) => partition.test(scan['Relation Name'] ?? ''))?.[1];
  if (!key) return [];
  const comparison = new RegExp(`\\(${key} (?:=|<|>|<=|>=) ((?:[^()]|\\([^()]*\\))+)\\)`, 'g');
  return [...`${scan['Index Cond']} ${scan.Filter}`.matchAll(comparison)].map(([, value]) => value ?? '');
}

/** True of a value from another row or subplan, which is known only while the statement runs. */
const isOfRow = (value: string) => /[a-z_"]\w*"?\.|(?:Init|Sub)Plan/.test(value);

const keyValuesBelow = ({ Plans = [] }: PlanNode) => Plans.flatMap(keyValues);

/** True of the scan of a partitioned table that is pruned for each row. */
const isPruned = ({ node }: Found) =>
  node['Node Type'].endsWith('Append') && keyValuesBelow(node).some(isOfRow);

const isRecheck = ({ node }: Found) =>
  node['Node Type'] === 'LockRows' || /^(?:Update|Delete|Merge)$/.test(node.Operation ?? '');

const subplanOf = ({ node, path }: Found) =>
  [...path, node].findLast((one) => one['Subplan Name'])?.['Subplan Name'] ?? 'the statement';

/** The nodes from `recheck` down to the nested loop that gives `scan` its values. */
function aboveLoop(scan: Found, recheck: PlanNode): PlanNode[] {
  const chain = [...scan.path, scan.node];
  const loop = scan.path.findLastIndex(
    (node, at) => node['Node Type'] === 'Nested Loop' && chain[at + 1]?.['Parent Relationship'] === 'Inner',
  );
  return scan.path.slice(scan.path.indexOf(recheck) + 1, Math.max(loop, 0));
}

/**
 * What can go wrong with a plan in PostgreSQL 18.4, by the subplan. To recheck a row, PostgreSQL begins the statement's subplans again, and their
 * pruned scans then use the expressions of the recheck with the values of the statement:
 * - When a lock has no more rows, these expressions are freed. A pruned scan that still runs reads freed memory, and the server crashes.
 * - If all rows are read before the first one is locked, the recheck looks for it in the partition of the last row, and the row is lost.
 * - If some partitions are pruned at the start, the positions of the others are computed a second time, wrongly.
 */
export function pruningHazards(root: PlanNode): string[] {
  const all = [...nodesFrom(root)];
  const rechecks = all.filter(isRecheck);
  const hasLock = all.some(({ node }) => node['Node Type'] === 'LockRows');
  const hazardsOf = (scan: Found): string[] => {
    const above = rechecks.filter(({ node }) => scan.path.includes(node));
    const underLock = above.some(({ node }) => node['Node Type'] === 'LockRows');
    const isLost = above.some(({ node }) => {
      const between = aboveLoop(scan, node);
      return (
        !between.some((one) => copied.has(one['Node Type'])) &&
        between.some((one) => reading.has(one['Node Type']))
      );
    });
    return [
      ...(hasLock && !underLock && subplanOf(scan) !== 'the statement' ? ['may run after a lock ended'] : []),
      ...(isLost ? ['is read before its rows are locked'] : []),
      ...(rechecks.length > 0 && !keyValuesBelow(scan.node).every(isOfRow)
        ? ['is also pruned at the start']
        : []),
    ].map((hazard) => `the scan in ${subplanOf(scan)} ${hazard}`);
  };
  return [...new Set(all.filter(isPruned).flatMap(hazardsOf))];
}
