// What happened to a template: its state at the platform now, what the platform changed, and who created, edited or submitted it.
import type { AuditEntry, TemplateDetail } from '../../../client/src/generated.ts';
import { useAudit } from '../audit/use-audit.ts';
import { Card } from '../design/card.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Table } from '../design/table.tsx';
import { TableFoot } from '../design/table-foot.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { useMay } from '../session/session.tsx';
import { textIfAny, textsOf } from '../text/texts.ts';
import { categoryWord } from './category-word.ts';
import { PlatformChanges } from './platform-changes.tsx';
import { stateOf } from './template-state.ts';

export function History({ template }: { template: TemplateDetail }) {
  const mayManage = useMay('manage');
  return (
    <>
      <AtPlatform template={template} />
      <PlatformChanges templateId={template._id} />
      {mayManage && <WhoChanged templateId={template._id} />}
    </>
  );
}

function AtPlatform({ template }: { template: TemplateDetail }) {
  const text = textsOf('templates');
  const { providerStatus, updatedAt, createdAt, nextCategory } = template;
  return (
    <Card title={text('atPlatform')}>
      <dl className="facts">
        <dt>{text('status')}</dt>
        <dd className="row wrap">
          <StateBadge state={stateOf(template)} />
          {providerStatus && <span className="mono note">{providerStatus}</span>}
        </dd>
        <dt>{text('changed')}</dt>
        <dd>
          <Timestamp at={updatedAt} form="both" />
        </dd>
        <dt>{text('created')}</dt>
        <dd>
          <Timestamp at={createdAt} form="both" />
        </dd>
        {nextCategory && (
          <>
            <dt>{text('nextCategory')}</dt>
            <dd>
              {categoryWord(nextCategory.category)}{' '}
              {nextCategory.at && <Timestamp at={nextCategory.at} form="both" />}
            </dd>
          </>
        )}
      </dl>
    </Card>
  );
}

function WhoChanged({ templateId }: { templateId: string }) {
  const text = textsOf('templates');
  const { rows, isLoaded, error, retry, loadOlder, isLoadingOlder } = useAudit(
    ['templates', 'history', templateId],
    { subjectId: templateId },
  );
  return (
    <Card title={text('whoChanged')} isPadded={false}>
      {Boolean(error) && <ErrorNote error={error} onRetry={retry} />}
      {isLoaded && rows.length === 0 && <p className="card-body muted">{text('noHistory')}</p>}
      {rows.length > 0 && <Entries entries={rows} />}
      <TableFoot onMore={loadOlder} isLoading={isLoadingOlder} />
    </Card>
  );
}

function Entries({ entries }: { entries: AuditEntry[] }) {
  const text = textsOf('templates');
  return (
    <Table
      columns={[
        { label: text('when'), widthPx: 160 },
        { label: text('what'), widthPx: 200 },
        { label: text('who') },
        { label: text('change') },
      ]}
    >
      {entries.map(({ _id, at, action, actor, changes }) => (
        <tr key={_id}>
          <td className="number">
            <Timestamp at={at} form="clock" />
          </td>
          <td>{textIfAny('templates', `action_${action.replace('template.', '')}`) ?? action}</td>
          <td dir="auto">{actor.name ?? actor.kind}</td>
          <td className="muted mono full" dir="ltr">
            {Object.entries(changes)
              .map(([field, value]) => `${field}: ${String(value)}`)
              .join(', ')}
          </td>
        </tr>
      ))}
    </Table>
  );
}
