// Every delivery, by endpoint and status.

import IconWebhook from '@tabler/icons-react/dist/esm/icons/IconWebhook.mjs';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Delivery } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { useLiveList } from '../api/use-live-list.ts';
import { Card } from '../design/card.tsx';
import { Chips } from '../design/chips.tsx';
import { EmptyState, ErrorNote } from '../design/messages.tsx';
import { Page } from '../design/page.tsx';
import { wordOf } from '../design/state-badge.tsx';
import { textsOf } from '../text/texts.ts';
import { DeliveryRows } from './delivery-rows.tsx';
import { shortUrl } from './endpoint-state.ts';

const pageLength = 50;
const statuses = ['pending', 'delivered', 'dead'] as const;

interface Filter {
  status?: (typeof statuses)[number];
  endpointId?: string;
}

function filterOf({ status, endpointId }: Record<string, unknown>): Filter {
  const known = statuses.find((one) => one === status);
  return {
    ...(known ? { status: known } : {}),
    ...(typeof endpointId === 'string' ? { endpointId } : {}),
  };
}

export function Deliveries() {
  const text = textsOf('webhooks');
  const navigate = useNavigate();
  const filter = filterOf(useSearch({ strict: false }));
  const endpoints = useQuery({ queryKey: ['endpoints'], queryFn: () => api.listEndpoints({ limit: 100 }) });
  const { rows, isLoaded, error, retry, loadOlder, isLoadingOlder } = useLiveList<Delivery>({
    key: ['deliveries', 'list', filter],
    read: (cursor) => api.listDeliveries({ ...filter, limit: pageLength, ...(cursor ? { cursor } : {}) }),
    idOf: ({ _id }) => _id,
  });
  const go = (next: Filter) => void navigate({ to: '/webhooks/deliveries', search: { ...next } });
  const { status, ...others } = filter;
  const items = endpoints.data?.items ?? [];
  return (
    <Page title={text('deliveries')}>
      <div className="row wrap">
        <Chips
          label={text('state')}
          allLabel={text('all')}
          values={statuses}
          chosen={status}
          wordOf={wordOf}
          onChoose={(one) => go({ ...others, ...(one ? { status: one } : {}) })}
        />
        <select
          className="input"
          aria-label={text('endpoint')}
          value={filter.endpointId ?? ''}
          onChange={({ target }) =>
            go({ ...(status ? { status } : {}), ...(target.value ? { endpointId: target.value } : {}) })
          }
        >
          <option value="">{text('anyEndpoint')}</option>
          {items.map(({ _id, url }) => (
            <option key={_id} value={_id}>
              {shortUrl(url)}
            </option>
          ))}
        </select>
      </div>
      {Boolean(error) && <ErrorNote error={error} onRetry={retry} />}
      {rows.length > 0 && (
        <Card isPadded={false}>
          <DeliveryRows deliveries={rows} endpoints={items} />
          {loadOlder && (
            <div className="table-foot">
              <button type="button" className="text-button" disabled={isLoadingOlder} onClick={loadOlder}>
                {text('older')}
              </button>
            </div>
          )}
        </Card>
      )}
      {isLoaded && rows.length === 0 && (
        <div className="card">
          <EmptyState
            icon={<IconWebhook size={20} aria-hidden />}
            title={text('noDeliveries')}
            text={text('noDeliveriesText')}
          />
        </div>
      )}
    </Page>
  );
}
