// A card with charts over a period: its failure, an empty state instead of empty axes, or the charts.
import type { ReactNode } from 'react';
import { Card } from '../design/card.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { textsOf } from '../text/texts.ts';
import type { Period } from './periods.ts';

interface Props {
  title: string;
  period: Period;
  /** Where more is. */
  end?: ReactNode;
  error: unknown;
  retry: () => void;
  isLoaded: boolean;
  isEmpty: boolean;
  /** What is said in place of empty charts. */
  emptyText: string;
  children: ReactNode;
}

export function ChartCard(props: Props) {
  const { title, period, end, error, retry, isLoaded, isEmpty, emptyText, children } = props;
  const text = textsOf('home');
  return (
    <Card title={title} note={text(`in_${period}`)} {...(end ? { end } : {})}>
      {Boolean(error) && <ErrorNote error={error} onRetry={retry} />}
      {isLoaded && isEmpty && <p className="muted chart-empty">{emptyText}</p>}
      {isLoaded && !isEmpty && children}
      {!isLoaded && !error && <div className="chart-empty" />}
    </Card>
  );
}
