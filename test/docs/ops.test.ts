// The ready-made alerts and the dashboard: each names only metrics that exist, and each alert has tests (run by `alerts.long.test.ts`).
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { openMetrics } from '../../src/base/metrics.ts';
import type { Db } from '../../src/db/db.ts';
import { openFigures } from '../../src/operator/figures.ts';
import { readProjectFile } from '../harness/documents.ts';

const alerts = readProjectFile('ops/prometheus/alerts.yaml');
const tests = readProjectFile('ops/prometheus/alerts.test.yaml');
const dashboard = readProjectFile('ops/grafana/dashboard.json');

interface Panel {
  title: string;
  type: string;
  targets?: { expr: string }[];
}
const { panels } = JSON.parse(dashboard) as { panels: Panel[] };

/** Every metric of the gateway; `up` is made by Prometheus. */
async function known(): Promise<Map<string, string>> {
  const { registry, process } = openMetrics();
  process.stop();
  openFigures({ db: undefined as unknown as Db, registry });
  const all = Registry.merge([registry]).getMetricsAsJSON();
  return new Map((await all).map(({ name, type }) => [name, String(type)] as const));
}

/** The metrics of an expression, without the endings of histograms. */
const metricsIn = (expression: string) =>
  [...expression.matchAll(/\b(gateway_\w+|process_\w+|nodejs_\w+)\b/g)].map(([, name = '']) => name);

function unknownIn(expression: string, metrics: Map<string, string>): string[] {
  return metricsIn(expression).filter((name) => {
    const base = name.replace(/_(bucket|count|sum)$/, '');
    // of a histogram, only its series exist
    return metrics.get(base) === 'histogram' ? base === name : !metrics.has(name);
  });
}

const expressions = [...alerts.matchAll(/^ +expr: '(.*)'$/gm)].map(([, text = '']) =>
  text.replaceAll("''", "'"),
);
const names = [...alerts.matchAll(/^ +- alert: (\w+)$/gm)].map(([, name = '']) => name);

it('alerts name only metrics that exist', async () => {
  const metrics = await known();
  expect(expressions.length).toBe(names.length);
  expect(expressions.length).toBeGreaterThan(25);
  expect(expressions.flatMap((one) => unknownIn(one, metrics))).toEqual([]);
});

it('panels of the dashboard name only metrics that exist, and show all of the gateway', async () => {
  const metrics = await known();
  const shown = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  expect(shown.flatMap((one) => unknownIn(one, metrics))).toEqual([]);
  const named = new Set(shown.flatMap(metricsIn).map((name) => name.replace(/_(bucket|count|sum)$/, '')));
  expect([...metrics.keys()].filter((name) => name.startsWith('gateway_') && !named.has(name))).toEqual([]);
  const empty = panels.filter(({ type, targets = [] }) => type !== 'row' && targets.length === 0);
  expect(empty).toEqual([]);
});

it('each alert has a test in which it fires, and one in which it stays silent', () => {
  const verdicts = [...tests.matchAll(/alertname: (\w+)\n +exp_alerts:( \[\])?/g)];
  const of = (isSilent: boolean) =>
    verdicts.filter(([, , none]) => (none !== undefined) === isSilent).map(([, name]) => name);
  expect(of(false)).toEqual(names);
  expect(of(true)).toEqual(names);
});
