// The problems of the account: shape, effect, since when.
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { StateBadge } from '../design/state-badge.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { usePageKeys } from '../design/use-page-keys.ts';
import { textsOf } from '../text/texts.ts';
import type { HomeProblem } from './problems.ts';

export function ProblemList({ problems }: { problems: HomeProblem[] }) {
  const list = useRef<HTMLUListElement>(null);
  const open = (at: number) => () => list.current?.children[at]?.querySelector('a')?.click();
  const digits = problems.slice(0, 9).map((_, at) => [String(at + 1), open(at)] as const);
  usePageKeys([{ text: 'problem', run: Object.fromEntries(digits) }]);
  return (
    <ul ref={list} className="card problems">
      {problems.map((problem) => (
        <Problem key={`${problem.kind} ${problem.id}`} problem={problem} />
      ))}
    </ul>
  );
}

/** Where the problem is fixed. */
function Fix({ problem: { kind, id } }: { problem: HomeProblem }) {
  const text = textsOf('home');
  switch (kind) {
    case 'sender':
      return (
        <Link to="/senders" search={{ sender: id }}>
          {text('senderFix')}
        </Link>
      );
    case 'endpoint':
      return (
        <Link to="/webhooks/deliveries" search={{ endpointId: id }}>
          {text('endpointFix')}
        </Link>
      );
    case 'health':
      return <Link to="/health">{text('healthFix')}</Link>;
    case 'calendar':
      return (
        <Link to="/users/$id/$tab" params={{ id, tab: 'calendar' }}>
          {text('calendarFix')}
        </Link>
      );
  }
}

function Problem({ problem }: { problem: HomeProblem }) {
  const { kind, state, name, reason, code, since } = problem;
  const text = textsOf('home');
  return (
    <li className="problem">
      <StateBadge state={state} iconOnly quiet />
      <div className="grow">
        <div className="strong">
          <bdi>{text(`${kind}Problem`, { name, state })}</bdi>
        </div>
        <div className="muted" dir="auto">
          {reason ?? text(`${kind}Effect`)}
          {code !== null && <span className="mono"> {code}</span>}
        </div>
      </div>
      {since && (
        <span className="note">
          <Timestamp at={since} form="clock" />
        </span>
      )}
      <Fix problem={problem} />
    </li>
  );
}
