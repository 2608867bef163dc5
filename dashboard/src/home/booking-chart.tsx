// Bookings by the hour or the day: made, moved and cancelled.
import { api } from '../api/client.ts';
import { Chart } from '../design/chart.tsx';
import { formatNumber } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { ChartCard } from './chart-card.tsx';
import type { Period } from './periods.ts';
import { useIntervals } from './use-intervals.ts';

const heightPx = 130;
const kinds = { booked: '--chart-read', rescheduled: '--warn', cancelled: '--wait' } as const;
type Kind = keyof typeof kinds;

export function BookingChart({ period }: { period: Period }) {
  const text = textsOf('home');
  const { rows, positions, ...state } = useIntervals('bookings', period, (range) =>
    api.getAppointmentStatistics(range),
  );
  const names = Object.keys(kinds) as Kind[];
  const sum = (kind: Kind) => rows.reduce((total, row) => total + (row?.[kind] ?? 0), 0);
  return (
    <ChartCard
      title={text('bookings')}
      period={period}
      {...state}
      isEmpty={names.every((kind) => sum(kind) === 0)}
      emptyText={text(`noBookings_${period}`)}
    >
      <Chart
        kind="stacked"
        heightPx={heightPx}
        positions={positions}
        label={text('bookingSentence', {
          booked: formatNumber(sum('booked')),
          rescheduled: formatNumber(sum('rescheduled')),
          cancelled: formatNumber(sum('cancelled')),
        })}
        series={names.map((kind) => ({
          label: text(`count_${kind}`),
          color: kinds[kind],
          values: rows.map((row) => row?.[kind] ?? 0),
        }))}
      />
    </ChartCard>
  );
}
