// Every delivery, by endpoint and status.

import IconWebhook from '@tabler/icons-react/dist/esm/icons/IconWebhook.mjs';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Delivery } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { endpointsQuery } from '../api/endpoints.ts';
import { useLiveList } from '../api/use-live-list.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Chips } from '../design/chips.tsx';
import { FilterSelect } from '../design/filter-select.tsx';
import { Loading } from '../design/loading.tsx';
import { EmptyState, ErrorNote } from '../design/messages.tsx';
import { Page } from '../design/page.tsx';
import { wordOf } from '../design/state-badge.tsx';
import { TableFoot } from '../design/table-foot.tsx';
import { textsOf } from '../text/texts.ts';
import { DeliveryRows } from './delivery-rows.tsx';
import { shortUrl } from './endpoint-state.ts';
import { eventKinds } from './event-kinds.ts';

const pageLength = 50;
const statuses = ['pending', 'delivered', 'dead'] as const;
const listedKinds = [...eventKinds, 'test'] as const;
const lastHours = [1, 24, 168, 720] as const;

interface Filter {
  status?: (typeof statuses)[number];
  endpointId?: string;
  event?: (typeof listedKinds)[number];
  /** Created in so many hours before now. */
  last?: (typeof lastHours)[number];
}

function filterOf({ status, endpointId, event, last }: Record<string, unknown>): Filter {
  const known = statuses.find((one) => one === status);
  const kind = listedKinds.find((one) => one === event);
  const hours = lastHours.find((one) => one === Number(last));
  return {
    ...(known ? { status: known } : {}),
    ...(typeof endpointId === 'string' ? { endpointId } : {}),
    ...(kind ? { event: kind } : {}),
    ...(hours ? { last: hours } : {}),
  };
}

const hourMs = 3_600_000;

/** The filter as the API takes it. */
const queryOf = ({ last, ...rest }: Filter) => ({
  ...rest,
  ...(last ? { from: new Date(Date.now() - last * hourMs).toISOString() } : {}),
});

export function Deliveries() {
  const text = textsOf('webhooks');
  const navigate = useNavigate();
  const filter = filterOf(useSearch({ strict: false }));
  const endpoints = useQuery(endpointsQuery);
  const { rows, isLoaded, error, retry, loadOlder, isLoadingOlder } = useLiveList<Delivery>({
    key: ['deliveries', 'list', filter],
    read: (cursor) =>
      api.listDeliveries({ ...queryOf(filter), limit: pageLength, ...(cursor ? { cursor } : {}) }),
    idOf: ({ _id }) => _id,
  });
  const change = (next: Partial<Record<keyof Filter, unknown>>) =>
    void navigate({ to: '/webhooks/deliveries', search: { ...filterOf({ ...filter, ...next }) } });
  const items = endpoints.data?.items ?? [];
  return (
    <Page title={text('deliveries')} crumbs={[{ name: text('deliveries') }]}>
      <div className="row wrap">
        <Chips
          label={text('state')}
          allLabel={text('all')}
          values={statuses}
          chosen={filter.status}
          wordOf={wordOf}
          onChoose={(status) => change({ status })}
        />
        <FilterSelect
          className="input"
          label={text('endpoint')}
          anyLabel={text('anyEndpoint')}
          options={items.map(({ _id, url }) => [_id, shortUrl(url)])}
          chosen={filter.endpointId}
          onChoose={(endpointId) => change({ endpointId })}
        />
        <FilterSelect
          className="input"
          label={text('event')}
          anyLabel={text('anyEvent')}
          options={listedKinds.map((kind) => [kind, kind])}
          chosen={filter.event}
          onChoose={(event) => change({ event })}
        />
        <FilterSelect
          className="input"
          label={text('time')}
          anyLabel={text('anyTime')}
          options={lastHours.map((hours) => [hours, text(`last_${hours}`)])}
          chosen={filter.last}
          onChoose={(last) => change({ last })}
        />
      </div>
      {Boolean(error) && <ErrorNote error={error} onRetry={retry} />}
      {!isLoaded && !error && <Loading />}
      {rows.length > 0 && (
        <Card isPadded={false}>
          <DeliveryRows deliveries={rows} endpoints={items} />
          <TableFoot onMore={loadOlder} isLoading={isLoadingOlder} />
        </Card>
      )}
      {isLoaded && rows.length === 0 && <NoDeliveries onOlder={loadOlder} isLoading={isLoadingOlder} />}
    </Page>
  );
}

interface NoneProps {
  /** Searches on; undefined: every delivery was searched. */
  onOlder: (() => void) | undefined;
  isLoading: boolean;
}

function NoDeliveries({ onOlder, isLoading }: NoneProps) {
  const text = textsOf('webhooks');
  return (
    <EmptyState
      isCard
      icon={<IconWebhook size={20} aria-hidden />}
      title={text(onOlder ? 'noneYet' : 'noDeliveries')}
      text={text(onOlder ? 'noneYetText' : 'noDeliveriesText')}
      actions={
        onOlder && (
          <Button isBusy={isLoading} onClick={onOlder}>
            {text('searchOlder')}
          </Button>
        )
      }
    />
  );
}
