// One template: its values and what it looks like filled, how it does, and what happened to it.
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { TemplateDetail } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { templateQuery } from '../api/templates.ts';
import { IdChip } from '../design/id-chip.tsx';
import { LinkButton } from '../design/link-button.tsx';
import { Loading } from '../design/loading.tsx';
import { Page } from '../design/page.tsx';
import { PageError } from '../design/page-error.tsx';
import { Quality } from '../design/quality.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Tabs } from '../design/tabs.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { useMay } from '../session/session.tsx';
import { textsOf } from '../text/texts.ts';
import { categoryWord } from './category-word.ts';
import { languageName } from './editor/template-languages.ts';
import { History } from './history.tsx';
import { Notices } from './notices.tsx';
import { Preview } from './preview.tsx';
import { Statistics } from './statistics.tsx';
import { TemplateAction } from './template-action.tsx';
import { TemplateApi } from './template-api.tsx';
import { stateOf } from './template-state.ts';
import './templates.css';

const tabs = ['preview', 'statistics', 'history', 'api'] as const;

export function Template() {
  const { id } = useParams({ from: '/templates/$id' });
  const { data, error, refetch } = useQuery(templateQuery(id));
  if (error && !data) return <PageError error={error} onRetry={() => void refetch()} />;
  return data ? <TemplateView template={data} /> : <Loading />;
}

function TemplateView({ template }: { template: TemplateDetail }) {
  const text = textsOf('templates');
  const navigate = useNavigate();
  const mayRead = useMay('messages:read');
  const { tab: wanted } = useSearch({ strict: false }) as { tab?: unknown };
  const shown = tabs.filter((tab) => tab !== 'statistics' || mayRead);
  const tab = shown.find((one) => one === wanted) ?? 'preview';
  return (
    <Page
      crumbs={[{ name: template.providerTemplateName }]}
      title={
        <span className="row wrap">
          <span className="mono-title" dir="ltr">
            {template.providerTemplateName}
          </span>
          <StateBadge state={stateOf(template)} />
        </span>
      }
      text={<Facts template={template} />}
      actions={<Actions template={template} />}
    >
      <Notices template={template} />
      <Tabs
        label={template.providerTemplateName}
        values={shown}
        chosen={tab}
        wordOf={(one) => text(`tab_${one}`)}
        onChoose={(one) =>
          void navigate({ to: '/templates/$id', params: { id: template._id }, search: { tab: one } })
        }
      />
      {tab === 'preview' && <Preview template={template} />}
      {tab === 'statistics' && <Statistics templateId={template._id} />}
      {tab === 'history' && <History template={template} />}
      {tab === 'api' && <TemplateApi template={template} />}
    </Page>
  );
}

function Actions({ template }: { template: TemplateDetail }) {
  const text = textsOf('templates');
  const mayManage = useMay('manage');
  const maySend = useMay('messages:send');
  const { _id: id, status, category } = template;
  return (
    <>
      {mayManage && (
        <Link to="/templates/$id/edit" params={{ id }}>
          {text('edit')}
        </Link>
      )}
      {mayManage && status === 'draft' && (
        <TemplateAction
          kind="primary"
          word={text('submit')}
          act={() => api.submitTemplate({ templateId: id })}
        />
      )}
      {maySend && status === 'approved' && category !== 'AUTHENTICATION' && (
        <LinkButton>
          <Link to="/sends/new" search={{ template: id }}>
            {text('useInCampaign')}
          </Link>
        </LinkButton>
      )}
    </>
  );
}

function Facts({ template }: { template: TemplateDetail }) {
  const text = textsOf('templates');
  return (
    <span className="row wrap loose">
      <span>{categoryWord(template.category)}</span>
      <Languages template={template} />
      <Quality rating={template.qualityScore} />
      {template.providerTemplateId && (
        <IdChip value={template.providerTemplateId} label={text('platformId')} />
      )}
      <span>
        {text('changed')} <Timestamp at={template.updatedAt} />
      </span>
    </span>
  );
}

/** The language, and the same template in other ones. */
function Languages({
  template: { _id, language, providerTemplateName: name },
}: {
  template: TemplateDetail;
}) {
  const text = textsOf('templates');
  const { data } = useQuery({
    queryKey: ['templates', 'languages', name],
    queryFn: () => api.listTemplates({ search: name, limit: 100 }),
    staleTime: 60_000,
  });
  const others = (data?.items ?? []).filter(
    (other) => other.providerTemplateName === name && other._id !== _id && other.language !== language,
  );
  return (
    <span className="row wrap">
      <span>
        {languageName(language)} <span className="mono note">{language}</span>
      </span>
      {others.length > 0 && <span className="note">{text('otherLanguages')}</span>}
      {others.map((other) => (
        <Link
          key={other._id}
          to="/templates/$id"
          params={{ id: other._id }}
          className="mono"
          title={languageName(other.language)}
        >
          {other.language}
        </Link>
      ))}
    </span>
  );
}
