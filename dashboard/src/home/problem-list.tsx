// The problems of the account: shape, effect, since when, and the fix in its place.
import { useRef } from 'react';
import { StateBadge } from '../design/state-badge.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { usePageKeys } from '../design/use-page-keys.ts';
import { textsOf } from '../text/texts.ts';
import {
  CalendarFix,
  CheckFix,
  EndpointFix,
  HealthFix,
  SenderFix,
  TemplateFix,
  TemplatesFix,
} from './fixes.tsx';
import type { HomeProblem } from './problems.ts';

interface Props {
  problems: HomeProblem[];
  /** Queued messages of the account; null: the session may not see them. */
  waiting: number | null;
}

export function ProblemList({ problems, waiting }: Props) {
  const text = textsOf('home');
  const list = useRef<HTMLUListElement>(null);
  const open = (at: number) => () => {
    const way = list.current?.children[at]?.querySelector<HTMLElement>('input, a, button');
    // a field that is open already
    if (way instanceof HTMLInputElement) way.focus();
    else way?.click();
  };
  const digits = problems.slice(0, 9).map((_, at) => [String(at + 1), open(at)] as const);
  usePageKeys([{ text: 'problem', run: Object.fromEntries(digits) }]);
  return (
    <ul ref={list} className="card problems" aria-label={text('problems')}>
      {problems.map((problem) => (
        <Problem key={`${problem.kind} ${problem.id}`} problem={problem} waiting={waiting} />
      ))}
    </ul>
  );
}

const fixes = {
  sender: SenderFix,
  check: CheckFix,
  endpoint: EndpointFix,
  calendar: CalendarFix,
  template: TemplateFix,
  templates: TemplatesFix,
  health: HealthFix,
};

function Problem({ problem, waiting }: { problem: HomeProblem; waiting: number | null }) {
  const { kind, state, name, reason, code, since, fix, nextAt } = problem;
  const text = textsOf('home');
  const Fix = fixes[kind];
  return (
    <li className="problem">
      <StateBadge state={state} iconOnly quiet />
      <div className="problem-text">
        <div className="strong">
          <bdi>{text(`${kind}Problem`, { name, state })}</bdi>
        </div>
        {reason !== null && (
          <div className="muted">
            <bdi>{reason}</bdi>
            {code !== null && <span className="mono"> {code}</span>}
          </div>
        )}
        {fix !== null && (
          <div className="muted">
            <bdi>{fix}</bdi>
          </div>
        )}
        <div className="muted">
          {text(`${kind}Effect`, { state })}
          {kind === 'sender' &&
            waiting !== null &&
            waiting > 0 &&
            ` ${text('queueWaits', { count: waiting })}`}
          {state === 'resting' && nextAt !== null && (
            <>
              {' '}
              {text('nextTry')} <Timestamp at={nextAt} />
            </>
          )}
        </div>
      </div>
      {since && (
        <span className="note problem-since">
          {text('since')} <Timestamp at={since} form="clock" />
        </span>
      )}
      <div className="problem-fix">
        <Fix problem={problem} />
      </div>
    </li>
  );
}
