// A page that does not exist, or could not be loaded.
import IconMapOff from '@tabler/icons-react/dist/esm/icons/IconMapOff.mjs';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { GatewayConnectionError } from '../../../client/src/errors.ts';
import { EmptyState } from '../design/messages.tsx';
import { PageError } from '../design/page-error.tsx';
import { textsOf } from '../text/texts.ts';

const askAgainMs = 3_000;

/** While the gateway is away, or has become another release with other files, the page waits and loads again by itself. */
export function RouteError({ error }: { error: unknown }) {
  const isAway = error instanceof GatewayConnectionError;
  useEffect(() => {
    if (!isAway) return;
    const timer = setInterval(() => {
      fetch('/health/live').then(
        ({ ok }) => ok && location.reload(),
        () => undefined,
      );
    }, askAgainMs);
    return () => clearInterval(timer);
  }, [isAway]);
  return <PageError error={error} onRetry={() => location.reload()} />;
}

export function NotFound() {
  const text = textsOf('shell');
  return (
    <EmptyState
      isPage
      icon={<IconMapOff size={20} aria-hidden />}
      title={text('notFound')}
      text={text('notFoundText')}
      actions={<Link to="/">{text('home')}</Link>}
    />
  );
}
