// What a page says when there is nothing to show, or something failed: what happened, what is safe, what to do.
import IconPlugConnectedX from '@tabler/icons-react/dist/esm/icons/IconPlugConnectedX.mjs';
import type { ReactNode } from 'react';
import { GatewayConnectionError, isGatewayError } from '../../../client/src/errors.ts';
import { isSignedOut } from '../api/queries.ts';
import { textsOf } from '../text/texts.ts';
import { Button } from './button.tsx';
import { IdChip } from './id-chip.tsx';
import './messages.css';

interface EmptyProps {
  icon: ReactNode;
  title: string;
  text: string;
  actions?: ReactNode;
  /** In place of a card, not within one. */
  isCard?: boolean;
  /** In place of a page. */
  isPage?: boolean;
}

export function EmptyState({ icon, title, text, actions, isCard, isPage }: EmptyProps) {
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <div className={isCard ? 'card empty' : 'empty'}>
      <span className="empty-icon">{icon}</span>
      <Heading>{title}</Heading>
      <p className="muted">{text}</p>
      {actions && <div className="row wrap">{actions}</div>}
    </div>
  );
}

/** Of very many problems the first are enough to see what is wrong. */
const shownErrors = 10;

type Text = ReturnType<typeof textsOf<'common'>>;

/** The heading of a failure, and what is safe. */
function explain(error: unknown, text: Text): { title: string; detail: string } {
  if (error instanceof GatewayConnectionError)
    return {
      title: text('gatewayAway'),
      detail: text(error.method === 'GET' ? 'nothingLost' : 'outcomeUnknown'),
    };
  if (isGatewayError(error, 'database_unavailable'))
    return { title: text('databaseAway'), detail: text('nothingLost') };
  if (isGatewayError(error)) return { title: text('failed'), detail: error.message };
  return { title: text('failed'), detail: String(error) };
}

export function ErrorNote({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const text = textsOf('common');
  // the page asks to sign in again by itself
  if (isSignedOut(error)) return null;
  const { title, detail } = explain(error, text);
  return (
    <div className="note-box bad" role="alert">
      <IconPlugConnectedX size={17} aria-hidden />
      <div className="grow">
        <div className="strong">{title}</div>
        <div className="muted">{detail}</div>
        {isGatewayError(error) && error.errors.length > 0 && (
          <ul className="error-list">
            {error.errors.slice(0, shownErrors).map(({ path, message }) => (
              <li key={`${path} ${message}`}>
                <span className="mono" dir="ltr">
                  {path}
                </span>{' '}
                {message}
              </li>
            ))}
          </ul>
        )}
        {isGatewayError(error) && (
          <div className="row small muted">
            {error.status} <span className="mono">{error.code}</span>
            {error.requestId && <IdChip value={error.requestId} label={text('requestId')} />}
          </div>
        )}
      </div>
      {onRetry && !(isGatewayError(error) && error.status === 404) && (
        <Button onClick={onRetry}>{text('tryNow')}</Button>
      )}
    </div>
  );
}
