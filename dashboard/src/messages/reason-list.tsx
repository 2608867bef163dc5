// Reasons of failures, the most frequent first, with a bar for how many.
import type { FailureReason } from '../../../client/src/generated.ts';
import { wordOf } from '../design/state-badge.tsx';
import { formatNumber } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { stateOfCode } from './message-state.ts';
import './reason-list.css';

/** The gateway's own reasons in the viewer's words, the platform's in its own. */
function titleOf(code: number | null, title: string | null): string | null {
  const state = stateOfCode(code);
  return state === undefined ? title : wordOf(state);
}

export function ReasonList({ reasons }: { reasons: FailureReason[] }) {
  const text = textsOf('common');
  const most = reasons[0]?.failed ?? 1;
  return (
    <ul className="reasons">
      {reasons.map(({ code, title, failed }) => (
        <li key={code ?? ''}>
          <span className="mono note">{code ?? '–'}</span>
          <span className="reason">
            <bdi>{titleOf(code, title) ?? text('unnamedReason')}</bdi>
          </span>
          <span className="number strong">
            {formatNumber(failed)}
            <span className="hidden-text"> {text('people', { count: failed })}</span>
          </span>
          <span className="reason-bar" aria-hidden="true">
            <i style={{ inlineSize: `${(failed / most) * 100}%` }} />
          </span>
        </li>
      ))}
    </ul>
  );
}
