// The endpoints of the account with the figures of the last day, and the latest deliveries.

import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import IconWebhook from '@tabler/icons-react/dist/esm/icons/IconWebhook.mjs';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { endpointsQuery } from '../api/endpoints.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Loading } from '../design/loading.tsx';
import { EmptyState, ErrorNote } from '../design/messages.tsx';
import { Page } from '../design/page.tsx';
import { useMay } from '../session/session.tsx';
import { formatNumber } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { AddEndpoint } from './add-endpoint.tsx';
import { DeliveryRows } from './delivery-rows.tsx';
import { EndpointTable } from './endpoint-table.tsx';
import './webhooks.css';

const endpointsMax = 10;
const dayMs = 86_400_000;
const latestCount = 10;

export function Webhooks() {
  const text = textsOf('webhooks');
  const mayManage = useMay('manage');
  const [isAdding, setAdding] = useState(false);
  const endpoints = useQuery(endpointsQuery);
  const figures = useQuery({
    queryKey: ['overview', 'endpoints'],
    queryFn: () =>
      api.getWebhookStatistics({
        from: new Date(Date.now() - dayMs).toISOString(),
        interval: 'hour',
        by: 'endpoint',
      }),
    refetchInterval: 30_000,
  });
  const latest = useQuery({
    queryKey: ['deliveries', 'latest'],
    queryFn: () => api.listDeliveries({ limit: latestCount }),
    refetchInterval: 5_000,
  });
  const items = endpoints.data?.items ?? [];
  const failed = [endpoints, figures, latest].filter(({ error }) => error !== null);
  const add = mayManage && (
    <Button
      kind="primary"
      icon={<IconPlus size={15} aria-hidden />}
      isDisabled={items.length >= endpointsMax}
      onClick={() => setAdding(true)}
    >
      {text('add')}
    </Button>
  );
  return (
    <Page
      title={text('title')}
      text={
        endpoints.data &&
        text('count', { count: formatNumber(items.length), most: formatNumber(endpointsMax) })
      }
      actions={add}
    >
      {isAdding && <AddEndpoint onDone={() => setAdding(false)} />}
      {failed[0] && (
        <ErrorNote
          error={failed[0].error}
          onRetry={() => {
            for (const { refetch } of failed) void refetch();
          }}
        />
      )}
      {endpoints.isPending && <Loading />}
      {items.length > 0 && <EndpointTable endpoints={items} statistics={figures.data?.items} />}
      {endpoints.data && items.length === 0 && !isAdding && (
        <EmptyState
          isCard
          icon={<IconWebhook size={20} aria-hidden />}
          title={text('none')}
          text={text('noneText')}
          actions={add}
        />
      )}
      {latest.data && latest.data.items.length > 0 && (
        <Card
          title={text('latest')}
          isPadded={false}
          end={<Link to="/webhooks/deliveries">{text('allDeliveries')}</Link>}
        >
          <DeliveryRows deliveries={latest.data.items} endpoints={items} />
        </Card>
      )}
    </Page>
  );
}
