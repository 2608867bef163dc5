// The platform's rating of a number or template.
import { textsOf } from '../text/texts.ts';
import { StateBadge } from './state-badge.tsx';

const ratings = {
  GREEN: { state: 'ok', key: 'high' },
  YELLOW: { state: 'warning', key: 'medium' },
  RED: { state: 'halted', key: 'low' },
} as const;

export function Quality({ rating }: { rating: string | null }) {
  const text = textsOf('common');
  const known = ratings[rating as keyof typeof ratings];
  return known ? <StateBadge state={known.state} label={text(known.key)} quiet /> : <span>–</span>;
}
