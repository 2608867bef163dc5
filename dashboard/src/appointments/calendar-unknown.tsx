// That a calendar does not say which times are open: nothing is guessed without it.
import { Link } from '@tanstack/react-router';
import { isGatewayError } from '../../../client/src/errors.ts';
import { Button } from '../design/button.tsx';
import { shapes } from '../design/icons.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { textsOf } from '../text/texts.ts';

interface Props {
  error: unknown;
  memberId: string;
  onRetry: () => void;
}

/** The error of a question about open times. Of another kind, it is shown as it is. */
export function CalendarUnknown({ error, memberId: id, onRetry }: Props) {
  const text = textsOf('appointments');
  const isMissing = isGatewayError(error, 'calendar_not_connected');
  if (!isMissing && !isGatewayError(error, 'provider_unavailable', 'provider_rejected'))
    return <ErrorNote error={error} onRetry={onRetry} />;
  return (
    <div className="note-box warn" role="status">
      {isMissing ? shapes.slashedRing : shapes.hourglass}
      <div className="grow column">
        <div className="strong">{text(isMissing ? 'column_disconnected' : 'column_silent')}</div>
        <div className="muted">{text('noGuess')}</div>
        <div className="row wrap">
          <Link to="/users/$id/$tab" params={{ id, tab: 'calendar' }}>
            {text(isMissing ? 'connectCalendar' : 'checkCalendar')}
          </Link>
          {!isMissing && <Button onClick={onRetry}>{text('askAgain')}</Button>}
        </div>
      </div>
    </div>
  );
}
