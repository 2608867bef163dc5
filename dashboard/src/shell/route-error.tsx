// A page that does not exist, or could not be loaded.
import IconMapOff from '@tabler/icons-react/dist/esm/icons/IconMapOff.mjs';
import { Link } from '@tanstack/react-router';
import { EmptyState, ErrorNote } from '../design/messages.tsx';
import { textsOf } from '../text/texts.ts';

export function RouteError({ error }: { error: unknown }) {
  return (
    <div className="page">
      <ErrorNote error={error} onRetry={() => location.reload()} />
    </div>
  );
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
