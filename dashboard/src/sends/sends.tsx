// The list of campaigns: their state, template, size and time.
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import IconSpeakerphone from '@tabler/icons-react/dist/esm/icons/IconSpeakerphone.mjs';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { SendItem } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { templateNamesQuery } from '../api/templates.ts';
import { useLiveList } from '../api/use-live-list.ts';
import { Button } from '../design/button.tsx';
import { Chips } from '../design/chips.tsx';
import { LinkButton } from '../design/link-button.tsx';
import { Loading } from '../design/loading.tsx';
import { EmptyState, ErrorNote } from '../design/messages.tsx';
import { Page } from '../design/page.tsx';
import { wordOf } from '../design/state-badge.tsx';
import { TableFoot } from '../design/table-foot.tsx';
import { useMay } from '../session/session.tsx';
import { textsOf } from '../text/texts.ts';
import { SendTable } from './send-table.tsx';

const pageLength = 50;
const states = ['draft', 'scheduled', 'sending', 'paused', 'done', 'cancelled'] as const;
type State = (typeof states)[number];

const stateIn = ({ state }: Record<string, unknown>): State | undefined =>
  states.find((one) => one === state);

export function Sends() {
  const text = textsOf('sends');
  const navigate = useNavigate();
  const mayReadTemplates = useMay('templates:read');
  const maySend = useMay('messages:send') && mayReadTemplates;
  const state = stateIn(useSearch({ strict: false }));
  const templates = useQuery({
    ...templateNamesQuery,
    enabled: mayReadTemplates,
  });
  const { rows, isLoaded, error, retry, loadOlder, isLoadingOlder } = useLiveList<SendItem>({
    key: ['sends', 'list', state ?? ''],
    read: (cursor) =>
      api.listSends({ limit: pageLength, ...(state ? { state } : {}), ...(cursor ? { cursor } : {}) }),
    idOf: ({ sendId }) => sendId,
  });
  const create = maySend && (
    <LinkButton icon={<IconPlus size={15} aria-hidden />}>
      <Link to="/sends/new">{text('new')}</Link>
    </LinkButton>
  );
  const go = (next: State | undefined) =>
    void navigate({ to: '/sends', search: next === undefined ? {} : { state: next } });
  return (
    <Page title={text('title')} isTitleHidden>
      <div className="row wrap">
        <Chips
          label={text('state')}
          allLabel={text('all')}
          values={states}
          chosen={state}
          wordOf={wordOf}
          onChoose={go}
        />
        <span className="end">{create}</span>
      </div>
      {Boolean(error) && <ErrorNote error={error} onRetry={retry} />}
      {rows.length > 0 && (
        <SendTable sends={rows} templates={templates.data?.items ?? []}>
          <TableFoot onMore={loadOlder} isLoading={isLoadingOlder} />
        </SendTable>
      )}
      {!isLoaded && !error && <Loading />}
      {isLoaded && rows.length === 0 && (
        <EmptyState
          isCard
          icon={<IconSpeakerphone size={20} aria-hidden />}
          title={text(state ? 'noneFound' : 'none')}
          text={text('noneText')}
          actions={state ? <Button onClick={() => go(undefined)}>{text('all')}</Button> : create}
        />
      )}
    </Page>
  );
}
