// One endpoint: how it does, what it is, the replay of a range, and the rotation of its secret.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { Endpoint as EndpointType } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { endpointsQuery } from '../api/endpoints.ts';
import { ConfirmButton } from '../design/confirm.tsx';
import { Loading } from '../design/loading.tsx';
import { Page } from '../design/page.tsx';
import { PageError } from '../design/page-error.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { useNow } from '../design/use-now.ts';
import { useMay } from '../session/session.tsx';
import { textsOf } from '../text/texts.ts';
import { EndpointActions } from './endpoint-actions.tsx';
import { EndpointFigures } from './endpoint-figures.tsx';
import { EndpointNote } from './endpoint-note.tsx';
import { EndpointSettings } from './endpoint-settings.tsx';
import { shortUrl, stateOf } from './endpoint-state.ts';
import { Replays } from './replays.tsx';
import { RotateGuide } from './rotate-guide.tsx';
import './webhooks.css';

export function Endpoint() {
  const text = textsOf('webhooks');
  const { id } = useParams({ from: '/webhooks/endpoints/$id' });
  const { data, error, refetch } = useQuery(endpointsQuery);
  const endpoint = data?.items.find(({ _id }) => _id === id);
  if (error && !data) return <PageError error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  if (!endpoint)
    return (
      <Page title={text('noEndpoint')} text={text('noEndpointText')}>
        <Link to="/webhooks">{text('title')}</Link>
      </Page>
    );
  return <EndpointView endpoint={endpoint} />;
}

function EndpointView({ endpoint }: { endpoint: EndpointType }) {
  const nowMs = useNow();
  const mayManage = useMay('manage');
  const { _id: id, url, description } = endpoint;
  return (
    <Page
      crumbs={[{ name: shortUrl(url) }]}
      title={
        <span className="row wrap">
          <bdi dir="ltr">{shortUrl(url)}</bdi>
          <StateBadge state={stateOf(endpoint, nowMs)} />
        </span>
      }
      text={description}
      actions={
        <>
          <EndpointActions endpoint={endpoint} />
          {mayManage && <DeleteEndpoint endpoint={endpoint} />}
        </>
      }
    >
      <EndpointNote endpoint={endpoint} />
      <div className="columns">
        <div className="column loose">
          <EndpointFigures endpoint={endpoint} />
          <Replays endpoint={endpoint} />
        </div>
        <div className="column loose">
          <EndpointSettings key={id} endpoint={endpoint} />
          {mayManage && <RotateGuide endpoint={endpoint} />}
        </div>
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
    />
  );
}
