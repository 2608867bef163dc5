// The life of a message as an ordered list, with the lanes drawn beside it.
import type { MessageDetail } from '../../../client/src/generated.ts';
import { shapes } from '../design/icons.tsx';
import { wordOf } from '../design/state-badge.tsx';
import { lookOf } from '../design/states.ts';
import { exactly } from '../design/timestamp.tsx';
import { formatDuration, formatExact } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { type Lane, lanesOf, type Step, stepsOf } from './steps.ts';
import './timeline.css';

const laneWidth = 60;
const rowHeight = 36;
const receiversMax = 4;
const x = (lane: number): number => laneWidth / 2 + lane * laneWidth;

export function Timeline({ message }: { message: MessageDetail }) {
  const text = textsOf('messages');
  const steps = stepsOf(message);
  const lanes = lanesOf(message).slice(0, 3 + receiversMax);
  const width = lanes.length * laneWidth;
  const nameOf = (lane: Lane, index: number): string =>
    typeof lane === 'string' ? text(lane) : text('receiver', { number: index - 2 });
  return (
    <div className="timeline">
      <div className="timeline-head" aria-hidden="true">
        <span className="timeline-lanes" style={{ width }}>
          {lanes.map((lane, index) => (
            <span key={nameOf(lane, index)} className="cut">
              {nameOf(lane, index)}
            </span>
          ))}
        </span>
      </div>
      <ol>
        {steps.map((step, index) => (
          <TimelineRow key={step.key} step={step} before={steps[index - 1]} laneCount={lanes.length} />
        ))}
      </ol>
    </div>
  );
}

function TimelineRow({
  step,
  before,
  laneCount,
}: {
  step: Step;
  before: Step | undefined;
  laneCount: number;
}) {
  const { at, state, isImplied } = step;
  const { tone, shape } = lookOf(state);
  const isOpen = at === null;
  const sinceMs = at && before?.at ? Date.parse(at) - Date.parse(before.at) : undefined;
  return (
    <li className={isImplied || isOpen ? 'open' : ''}>
      {at ? (
        <time className="mono number" dateTime={at} title={exactly(new Date(at))}>
          {formatExact(new Date(at))}
        </time>
      ) : (
        <span />
      )}
      <span className="number note small timeline-since">
        {sinceMs !== undefined && `+${formatDuration(sinceMs)}`}
      </span>
      <span className="timeline-lane" style={{ width: laneCount * laneWidth }} aria-hidden="true">
        <Arrow step={step} laneCount={laneCount} isOpen={isImplied || isOpen} />
        <span
          className={`state ${tone}`}
          style={{ insetInlineStart: x(Math.min(step.to, laneCount - 1)) - 7.5 }}
        >
          {shapes[shape]}
        </span>
      </span>
      <span className={`state ${tone} narrow-only`}>{shapes[shape]}</span>
      <StepText step={step} />
    </li>
  );
}

function StepText({ step }: { step: Step }) {
  const text = textsOf('messages');
  const { kind, name, reports, state, isImplied, statusCode, attempts } = step;
  const word =
    kind === 'requested'
      ? text('requested')
      : kind === 'stage'
        ? wordOf(name)
        : reports
          ? `${text('webhook')}: ${wordOf(reports)}`
          : name;
  const detail =
    kind === 'delivery'
      ? [wordOf(state), statusCode, attempts > 1 && text('tries', { count: attempts })]
          .filter(Boolean)
          .join(' · ')
      : isImplied && text('implied');
  return (
    <span className="cut timeline-text">
      <span className={isImplied ? 'muted' : 'strong'}>{word}</span>
      {detail && <span className="note"> · {detail}</span>}
    </span>
  );
}

/** The arrow from lane to lane; dashed for what is implied or has not happened. */
function Arrow({
  step: { from, to, state },
  laneCount,
  isOpen,
}: {
  step: Step;
  laneCount: number;
  isOpen: boolean;
}) {
  const middle = rowHeight / 2;
  const end = Math.min(to, laneCount - 1);
  const isForward = end > from;
  const color = lookOf(state).tone === 'warn' ? 'var(--warn)' : 'var(--ink3)';
  const stroke = { stroke: color, strokeWidth: 1.5, ...(isOpen ? { strokeDasharray: '3 3' } : {}) };
  const tip = x(end) + (isForward ? -10 : 10);
  const back = isForward ? -5 : 5;
  return (
    <svg width={laneCount * laneWidth} height={rowHeight} aria-hidden="true">
      {Array.from({ length: laneCount }, (_, lane) => x(lane)).map((at) => (
        <path key={at} d={`M${at} 0V${rowHeight}`} stroke="var(--line)" />
      ))}
      {from !== end && (
        <>
          <path d={`M${x(from)} ${middle}H${tip}`} {...stroke} />
          <path
            d={`M${tip + back} ${middle - 4}l${-back} 4 ${back} 4`}
            fill="none"
            stroke={color}
            strokeWidth="1.5"
          />
          <circle cx={x(from)} cy={middle} r="2.5" fill="var(--ink3)" />
        </>
      )}
      <circle
        cx={x(end)}
        cy={middle}
        r="9.5"
        fill="var(--surface)"
        stroke={isOpen ? 'var(--ink3)' : 'none'}
        strokeDasharray="3 2.4"
      />
    </svg>
  );
}
