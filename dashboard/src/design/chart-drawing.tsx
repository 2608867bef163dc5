// The drawing of a chart, with uPlot.
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { formatShort } from '../text/format.ts';
import type { ChartProps, Series } from './chart.tsx';
import { useScheme } from './scheme.ts';

/** The value of a colour token where the element is: `light-dark()` is resolved by the browser only. */
function colorsAt(element: HTMLElement) {
  const probe = document.createElement('span');
  element.append(probe);
  const read = (token: string): string => {
    probe.style.color = `var(${token})`;
    return getComputedStyle(probe).color;
  };
  return { read, end: () => probe.remove() };
}

/** Running sums, so that bars stand on each other; the highest is drawn first. */
function stacked(series: Series[]): (number | null)[][] {
  let sums = series[0]?.values.map(() => 0) ?? [];
  return series.map(({ values }) => {
    sums = sums.map((sum, index) => sum + (values[index] ?? 0));
    return sums;
  });
}

/** True if a value has no neighbor: a line alone would not show it. */
const hasAlone = (values: (number | null)[]): boolean =>
  values.some((value, at) => value !== null && values[at - 1] == null && values[at + 1] == null);

/** 1, 2, 5, 10 and so on. */
const wholeSteps = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((one) => one * 10 ** power)).flat();

const labelsMax = 8;
const characterPx = 6;
const labelGapPx = 14;

/** The least distance of two labels below a chart of this width: they do not touch each other. */
function spaceOf(widthPx: number, positions: string[]): number {
  const longest = Math.max(1, ...positions.map((one) => one.length));
  return Math.max(widthPx / (labelsMax + 1), longest * characterPx + labelGapPx);
}

function optionsOf(
  { kind, positions, series, heightPx }: ChartProps,
  widthPx: number,
  read: (token: string) => string,
): uPlot.Options {
  const count = positions.length;
  const isStacked = kind === 'stacked';
  const axis = { stroke: read('--ink3'), font: '11px Inter Variable', ticks: { show: false }, gap: 6 };
  const drawn = isStacked ? series.toReversed() : series;
  const bars = uPlot.paths.bars?.({ size: [0.72, 26], radius: [0.08, 0] });
  return {
    width: widthPx,
    height: heightPx,
    legend: { show: false },
    cursor: { show: false },
    padding: [8, 4, 0, 0],
    scales: {
      x: { time: false, range: isStacked ? [-0.6, count - 0.4] : [0, Math.max(1, count - 1)] },
      y: { range: (_chart, _low, high) => [0, Math.max(1, (high ?? 0) * 1.08)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 24,
        incrs: positions.map((_, index) => index + 1),
        space: (_chart, _axis, _from, _to, widthPx) => spaceOf(widthPx, positions),
        values: (_chart, at) => at.map((index) => positions[index] ?? ''),
      },
      {
        ...axis,
        grid: { stroke: read('--line'), width: 1 },
        size: 44,
        space: 34,
        // messages and milliseconds have no halves
        incrs: wholeSteps,
        values: (_chart, at) => at.map(formatShort),
      },
    ],
    series: [
      {},
      ...drawn.map(({ color, dashed, values }) => ({
        stroke: read(color),
        points: { show: !isStacked && hasAlone(values), size: 5, fill: read(color) },
        ...(isStacked
          ? { fill: read(color), width: 0, ...(bars ? { paths: bars } : {}) }
          : { width: 1.6, ...(dashed ? { dash: [5, 3] } : {}) }),
      })),
    ],
  };
}

export default function ChartDrawing(props: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const scheme = useScheme();
  const { kind, positions, series } = props;
  // pages render again every second
  const content = JSON.stringify([kind, positions, series, props.heightPx]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: drawn for other content only, and since colours are read, for another scheme
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const colors = colorsAt(element);
    const x = positions.map((_, index) => index);
    const values = kind === 'stacked' ? stacked(series).reverse() : series.map((one) => one.values);
    const chart = new uPlot(optionsOf(props, element.clientWidth, colors.read), [x, ...values], element);
    colors.end();
    const resized = new ResizeObserver(() =>
      chart.setSize({ width: element.clientWidth, height: props.heightPx }),
    );
    resized.observe(element);
    return () => {
      resized.disconnect();
      chart.destroy();
    };
  }, [content, scheme]);
  return <div ref={box} />;
}
