// One change: when, who, what, and the new values that the log may have.
import { Link } from '@tanstack/react-router';
import type { AuditEntry } from '../../../client/src/generated.ts';
import { IdChip } from '../design/id-chip.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { withLocalTimes } from '../text/format.ts';
import { textIfAny, textsOf } from '../text/texts.ts';
import { valueText } from './filter.ts';

export function AuditRow({ entry: { at, actor, address, action, subject, changes } }: { entry: AuditEntry }) {
  const text = textsOf('audit');
  const kind = textIfAny('audit', `actor_${actor.kind}`) ?? actor.kind;
  const words = Object.entries(changes).map(([field, value]) => `${field}: ${valueText(value)}`);
  return (
    <tr>
      <td className="muted">
        <Timestamp at={at} form="clock" />
      </td>
      <td title={address ?? ''}>
        {actor.name === null ? (
          <span className="muted">{kind}</span>
        ) : (
          <>
            <span className="strong" dir="auto">
              {actor.name}
            </span>{' '}
            <span className="note">{kind}</span>
          </>
        )}
      </td>
      <td className="mono full" dir="ltr">
        {action}
      </td>
      <td className="full">
        <Subject kind={subject.kind} id={subject.id} />
      </td>
      <td className="muted full wraps" dir="auto">
        {withLocalTimes(words.join('; ')) || <span className="hidden-text">{text('noChanges')}</span>}
      </td>
    </tr>
  );
}

/** The object, as a link where it has a page. */
function Subject({ kind, id }: { kind: string; id: string }) {
  const text = textsOf('audit');
  const open = text('open');
  const link = {
    booking: (
      <Link to="/appointments" search={{ view: 'list', booking: id }}>
        {open}
      </Link>
    ),
    staff: (
      <Link to="/users/$id" params={{ id }}>
        {open}
      </Link>
    ),
    send: (
      <Link to="/sends/$id" params={{ id }}>
        {open}
      </Link>
    ),
    template: (
      <Link to="/templates/$id" params={{ id }}>
        {open}
      </Link>
    ),
    endpoint: (
      <Link to="/webhooks/endpoints/$id" params={{ id }}>
        {open}
      </Link>
    ),
    calendar: (
      <Link to="/users/$id/$tab" params={{ id, tab: 'calendar' }}>
        {open}
      </Link>
    ),
    sender: (
      <Link to="/senders" search={{ sender: id }}>
        {open}
      </Link>
    ),
  }[kind];
  return (
    <span className="row tight">
      <IdChip value={id} label={text('subject')} keep={12} />
      {link}
    </span>
  );
}
