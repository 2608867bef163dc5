// One endpoint: what it is, the rotation of its secret, and the replay of a range.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { Endpoint as EndpointType } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Card } from '../design/card.tsx';
import { ConfirmButton } from '../design/confirm.tsx';
import { IdChip } from '../design/id-chip.tsx';
import { Page } from '../design/page.tsx';
import { PageError } from '../design/page-error.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { useNow } from '../design/use-now.ts';
import { useMay } from '../session/session.tsx';
import { textsOf } from '../text/texts.ts';
import { shortUrl, stateOf } from './endpoint-state.ts';
import { Replays } from './replays.tsx';
import { RotateGuide } from './rotate-guide.tsx';
import './webhooks.css';

export function Endpoint() {
  const text = textsOf('webhooks');
  const { id } = useParams({ from: '/webhooks/endpoints/$id' });
  const { data, error, refetch } = useQuery({
    queryKey: ['endpoints'],
    queryFn: () => api.listEndpoints({ limit: 100 }),
  });
  const endpoint = data?.items.find(({ _id }) => _id === id);
  if (error && !data) return <PageError error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  if (!endpoint) return <Page title={text('noEndpoint')}>{text('noEndpointText')}</Page>;
  return <EndpointView endpoint={endpoint} />;
}

function EndpointView({ endpoint }: { endpoint: EndpointType }) {
  const text = textsOf('webhooks');
  const nowMs = useNow();
  const mayManage = useMay('manage');
  const { _id: id, url, description, events, createdAt, status } = endpoint;
  return (
    <Page
      title={
        <span className="row wrap">
          <bdi dir="ltr">{shortUrl(url)}</bdi>
          <StateBadge state={stateOf(endpoint, nowMs)} />
        </span>
      }
      text={description}
      actions={mayManage && <DeleteEndpoint endpoint={endpoint} />}
    >
      <div className="columns">
        <div className="column loose">
          {mayManage && <RotateGuide endpoint={endpoint} />}
          <Replays endpointId={id} isDisabled={status === 'disabled'} />
        </div>
        <Card>
          <dl className="facts">
            <dt>{text('address')}</dt>
            <dd className="mono break" dir="ltr">
              {url}
            </dd>
            <dt>{text('endpointId')}</dt>
            <dd>
              <IdChip value={id} label={text('endpointId')} />
            </dd>
            <dt>{text('events')}</dt>
            <dd className="mono">
              {events.map((event) => (
                <div key={event}>{event}</div>
              ))}
            </dd>
            <dt>{text('created')}</dt>
            <dd>
              <Timestamp at={createdAt} form="both" />
            </dd>
            <dt>{text('deliveries')}</dt>
            <dd>
              <Link to="/webhooks/deliveries" search={{ endpointId: id }}>
                {text('allDeliveries')}
              </Link>
            </dd>
          </dl>
        </Card>
      </div>
    </Page>
  );
}

function DeleteEndpoint({ endpoint: { _id: id, url } }: { endpoint: EndpointType }) {
  const text = textsOf('webhooks');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { mutateAsync } = useMutation({
    mutationFn: () => api.deleteEndpoint({ id }),
    onSuccess: async () => {
      await navigate({ to: '/webhooks' });
      await queries.invalidateQueries({ queryKey: ['endpoints'] });
    },
  });
  return (
    <ConfirmButton
      kind="quiet"
      question={{
        title: text('confirmDelete', { url: shortUrl(url) }),
        effect: text('confirmDeleteEffect'),
        verb: text('delete'),
        isDestructive: true,
      }}
      run={() => mutateAsync()}
    >
      {text('delete')}
    </ConfirmButton>
  );
}
