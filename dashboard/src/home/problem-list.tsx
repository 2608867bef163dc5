// The problems of the account: shape, effect, since when.
import { StateBadge } from '../design/state-badge.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { textsOf } from '../text/texts.ts';
import type { HomeProblem } from './problems.ts';

export function ProblemList({ problems }: { problems: HomeProblem[] }) {
  return (
    <ul className="card problems">
      {problems.map((problem) => (
        <Problem key={`${problem.kind} ${problem.id}`} problem={problem} />
      ))}
    </ul>
  );
}

function Problem({ problem: { kind, state, name, reason, code, since } }: { problem: HomeProblem }) {
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
    </li>
  );
}
