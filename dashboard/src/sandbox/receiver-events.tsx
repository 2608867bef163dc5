// What the receiver got: each event with its signature and what was answered.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Card } from '../design/card.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Table } from '../design/table.tsx';
import { TableFoot } from '../design/table-foot.tsx';
import { formatExact } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { type ReceiverEvent, sandbox } from './sandbox-api.ts';

const pollMs = 1_000;
const shownMax = 12;

/** What the body of an event says. */
function contentOf(body: string): { event: string; status: string | undefined; subject: string } {
  try {
    const { event, data } = JSON.parse(body) as { event: string; data: Record<string, unknown> };
    const of = data.messageId ?? data._id ?? data.id ?? '';
    return { event, status: typeof data.status === 'string' ? data.status : undefined, subject: String(of) };
  } catch {
    return { event: body.slice(0, 40), status: undefined, subject: '' };
  }
}

export function ReceiverEvents() {
  const text = textsOf('sandbox');
  const { data = [], error } = useQuery({
    queryKey: ['deliveries', 'receiver'],
    queryFn: () => sandbox.events(),
    refetchInterval: pollMs,
  });
  const wrong = data.filter(({ verified }) => !verified).length;
  return (
    <Card
      title={text('receiver')}
      note={text('receiverNote')}
      isPadded={false}
      end={
        data.length > 0 && (
          <span className="small muted">
            {text(wrong === 0 ? 'signaturesGood' : 'signaturesBad', { count: wrong })}
          </span>
        )
      }
    >
      {error && <ErrorNote error={error} />}
      {data.length === 0 ? (
        <p className="card-body muted">{text('noEvents')}</p>
      ) : (
        <Table
          columns={[
            { label: text('time'), widthPx: 130 },
            { label: text('event') },
            { label: text('of'), widthPx: 150 },
            { label: text('answered'), widthPx: 110, isFigure: true },
          ]}
        >
          {data.slice(0, shownMax).map((event) => (
            <EventRow key={event.seq} event={event} />
          ))}
        </Table>
      )}
      {data.length > shownMax && (
        <TableFoot>
          <Link to="/webhooks/deliveries">{text('allEvents')}</Link>
        </TableFoot>
      )}
    </Card>
  );
}

function EventRow({ event: { at, body, answered, verified } }: { event: ReceiverEvent }) {
  const text = textsOf('sandbox');
  const { event, status, subject } = contentOf(body);
  const isGood = typeof answered === 'number' && answered >= 200 && answered < 300;
  return (
    <tr title={body}>
      <td className="mono number">{formatExact(new Date(at))}</td>
      <td>
        {status && event.endsWith('.status') ? (
          <StateBadge state={status} />
        ) : (
          <span className="mono">{event}</span>
        )}
        {!verified && <span className="bad-text"> {text('badSignature')}</span>}
      </td>
      <td className="mono muted wide-only" dir="ltr">
        {subject}
      </td>
      <td className={`figure number ${isGood ? '' : 'bad-text strong'}`}>{answered}</td>
    </tr>
  );
}
