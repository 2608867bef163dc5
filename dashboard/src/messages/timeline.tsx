// The life of a message as an ordered list, with the lanes drawn beside it.
import type { MessageDetail } from '../../../client/src/generated.ts';
import { shapes } from '../design/icons.tsx';
import { wordOf } from '../design/state-badge.tsx';
import { lookOf } from '../design/states.ts';
import { exactly, Timestamp } from '../design/timestamp.tsx';
import { formatDuration, formatExact } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { type Lane, lanesOf, type Step, stepsOf } from './steps.ts';
import { useReceivers } from './use-receivers.ts';
import './timeline.css';

const laneWidth = 60;
const rowHeight = 36;
/** Of two instants of one second, the second one needs its milliseconds only. */
const sameSecond = (a: string, b: string): boolean => a.slice(0, 19) === b.slice(0, 19);
const x = (lane: number): number => laneWidth / 2 + lane * laneWidth;

export function Timeline({ message }: { message: MessageDetail }) {
  const text = textsOf('messages');
  const { nameOf } = useReceivers();
  const steps = stepsOf(message);
  const { lanes, others } = lanesOf(message);
  const receivers = [...new Set(message.deliveries.map(({ endpointId }) => endpointId))];
  const receiverOf = (id: string): string =>
    nameOf(id) ?? text('receiver', { number: receivers.indexOf(id) + 1 });
  const names = lanes.map((lane: Lane) =>
    typeof lane === 'string' ? text(lane) : receiverOf(lane.endpointId),
  );
  if (others > 0) names.push(text('others', { count: others }));
  return (
    <div className="timeline">
      <div className="timeline-head" aria-hidden="true">
        <span className="timeline-lanes" style={{ width: names.length * laneWidth }}>
          {names.map((name) => (
            <span key={name} className="cut" title={name}>
              {name}
            </span>
          ))}
        </span>
      </div>
      <ol>
        {steps.map((step, index) => (
          <TimelineRow
            key={step.key}
            step={step}
            before={steps[index - 1]}
            laneCount={names.length}
            receiver={step.endpointId === null ? '' : receiverOf(step.endpointId)}
          />
        ))}
      </ol>
    </div>
  );
}

function TimelineRow({
  step,
  before,
  laneCount,
  receiver,
}: {
  step: Step;
  before: Step | undefined;
  laneCount: number;
  /** Of a delivery: who receives it. */
  receiver: string;
}) {
  const { at, state, isImplied } = step;
  const { tone, shape } = lookOf(state);
  const isOpen = at === null;
  const sinceMs = at && before?.at ? Date.parse(at) - Date.parse(before.at) : undefined;
  return (
    <li className={isImplied || isOpen ? 'open' : ''}>
      {at ? (
        <time className="mono number" dateTime={at} title={exactly(new Date(at))}>
          {before?.at && sameSecond(at, before.at)
            ? formatExact(new Date(at)).slice(-4)
            : formatExact(new Date(at))}
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
      <span className={`state ${tone} timeline-shape`}>{shapes[shape]}</span>
      <StepText step={step} receiver={receiver} />
    </li>
  );
}

function StepText({ step, receiver }: { step: Step; receiver: string }) {
  const text = textsOf('messages');
  const { kind, name, reports, isImplied } = step;
  const word =
    kind === 'requested'
      ? text('requested')
      : kind === 'stage'
        ? wordOf(name)
        : text('toReceiver', { receiver, what: reports ? wordOf(reports) : name });
  return (
    <span className="cut timeline-text">
      <span className={isImplied ? 'muted' : 'strong'}>{word}</span>
      <StepDetail step={step} />
    </span>
  );
}

function StepDetail({ step: { kind, state, isImplied, statusCode, attempts, nextAt } }: { step: Step }) {
  const text = textsOf('messages');
  if (kind === 'stage') return isImplied && <span className="note"> · {text('implied')}</span>;
  if (kind !== 'delivery') return null;
  const facts = [
    nextAt === null && wordOf(state),
    statusCode,
    attempts > 1 && text('tries', { count: attempts }),
  ].filter(Boolean);
  return (
    <span className="note">
      {facts.map((fact) => ` · ${fact}`)}
      {nextAt !== null && (
        <>
          {' · '}
          {text('again')} <Timestamp at={nextAt} />
        </>
      )}
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
