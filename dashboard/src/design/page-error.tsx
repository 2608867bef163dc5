// A page whose object could not be read, with a heading for those who hear it.
import { textsOf } from '../text/texts.ts';
import { ErrorNote } from './messages.tsx';
import { Page } from './page.tsx';

export function PageError({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const text = textsOf('common');
  return (
    <Page title={text('failed')} isTitleHidden>
      <ErrorNote error={error} onRetry={onRetry} />
    </Page>
  );
}
