// A page that does not exist, or could not be loaded.
import IconMapOff from '@tabler/icons-react/dist/esm/icons/IconMapOff.mjs';
import { Link } from '@tanstack/react-router';
import { EmptyState } from '../design/messages.tsx';
import { PageError } from '../design/page-error.tsx';
import { textsOf } from '../text/texts.ts';

export function RouteError({ error }: { error: unknown }) {
  return <PageError error={error} onRetry={() => location.reload()} />;
}

export function NotFound() {
  const text = textsOf('shell');
  return (
    <EmptyState
      icon={<IconMapOff size={20} aria-hidden />}
      title={text('notFound')}
      text={text('notFoundText')}
      actions={<Link to="/">{text('home')}</Link>}
    />
  );
}
