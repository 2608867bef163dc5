// A chart with its sentence and its table. The library loads after the page, into a box of fixed height.
import { lazy, Suspense, useState } from 'react';
import { formatShort } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import './chart.css';

export interface Series {
  label: string;
  /** Name of a colour token, such as `--chart-read`. */
  color: string;
  /** One value for each position; null: nothing was measured. */
  values: (number | null)[];
  dashed?: boolean;
}

export interface ChartProps {
  kind: 'stacked' | 'lines';
  /** What stands below each position. */
  positions: string[];
  series: Series[];
  heightPx: number;
  /** The chart in a sentence, for those who do not see it. */
  label: string;
}

const Drawing = lazy(() => import('./chart-drawing.tsx'));

export function Chart(props: ChartProps) {
  const { positions, series, heightPx, label } = props;
  const [isTable, setTable] = useState(false);
  const text = textsOf('common');
  return (
    <figure className="chart">
      {isTable ? (
        <ChartTable positions={positions} series={series} label={label} />
      ) : (
        <div role="img" aria-label={label} style={{ height: heightPx }} dir="ltr">
          <Suspense fallback={null}>
            <Drawing {...props} />
          </Suspense>
        </div>
      )}
      <figcaption className="row small muted wrap">
        {series.map((one) => (
          <span key={one.label} className="legend">
            <i style={{ background: `var(${one.color})` }} aria-hidden="true" />
            {one.label}
          </span>
        ))}
        <button type="button" className="text-button end" onClick={() => setTable(!isTable)}>
          {text(isTable ? 'asChart' : 'asTable')}
        </button>
      </figcaption>
    </figure>
  );
}

function ChartTable({ positions, series, label }: Pick<ChartProps, 'positions' | 'series' | 'label'>) {
  return (
    <div className="table-frame">
      <table className="chart-table number">
        <caption className="hidden-text">{label}</caption>
        <thead>
          <tr>
            <td />
            {series.map((one) => (
              <th key={one.label} scope="col">
                {one.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {positions.map((position, index) => (
            // an hour has its name twice where a clock is put back
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows have no other identity
            <tr key={index}>
              <th scope="row">{position}</th>
              {series.map((one) => (
                <td key={one.label}>{one.values[index] == null ? '–' : formatShort(one.values[index])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
