// The editor of a template: a new draft, or the next version of one that exists, with the phone beside it.
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { TemplateDetail } from '../../../../client/src/generated.ts';
import { templateQuery } from '../../api/templates.ts';
import { Card } from '../../design/card.tsx';
import { KeepTyped } from '../../design/keep-typed.tsx';
import { Loading } from '../../design/loading.tsx';
import { Page } from '../../design/page.tsx';
import { PageError } from '../../design/page-error.tsx';
import { PhonePreview } from '../../design/phone-preview.tsx';
import { Segments } from '../../design/segments.tsx';
import { StateBadge } from '../../design/state-badge.tsx';
import { useSession } from '../../session/session.tsx';
import { formatMoment } from '../../text/format.ts';
import { textsOf } from '../../text/texts.ts';
import { Notices } from '../notices.tsx';
import { stateOf } from '../template-state.ts';
import { BodyCard } from './body-card.tsx';
import { ButtonsCard } from './buttons-card.tsx';
import { draftParts } from './draft-parts.ts';
import { limits } from './draft-rules.ts';
import { Field } from './field.tsx';
import { FormContext } from './fix-button.tsx';
import { HeaderCard } from './header-card.tsx';
import { IdentityCard, isName } from './identity-card.tsx';
import { JsonCard } from './json-card.tsx';
import { RulesCard } from './rules-card.tsx';
import { SaveButtons } from './save-buttons.tsx';
import { type EditedDraft, useDraft } from './use-draft.ts';
import '../templates.css';
import './editor.css';

export const NewTemplate = () => <Editor template={undefined} />;

export function EditTemplate() {
  const { id } = useParams({ from: '/templates/$id/edit' });
  const { data, error, refetch } = useQuery({
    ...templateQuery(id),
    // what is typed must not be replaced
    refetchOnWindowFocus: false,
  });
  if (error && !data) return <PageError error={error} onRetry={() => void refetch()} />;
  return data ? <Editor key={id} template={data} /> : <Loading />;
}

function Editor({ template }: { template: TemplateDetail | undefined }) {
  const text = textsOf('editor');
  const ofTemplates = textsOf('templates');
  const crumbs = template
    ? [
        { name: template.providerTemplateName, to: `/templates/${template._id}` },
        { name: ofTemplates('edit') },
      ]
    : [{ name: text('new') }];
  const { account } = useSession();
  const draft = useDraft(template);
  const { identity, components, problems } = draft;
  const canSave = isName(identity.name) && components !== undefined && problems.length === 0;
  return (
    <Page
      crumbs={crumbs}
      title={
        template ? (
          <span className="row wrap">
            <span className="mono-title" dir="ltr">
              {template.providerTemplateName}
            </span>
            <StateBadge state={stateOf(template)} />
          </span>
        ) : (
          text('new')
        )
      }
      text={template ? undefined : text('newText')}
      actions={<SaveButtons template={template} draft={draft} canSave={canSave} />}
    >
      <KeepTyped isChanged={draft.isChanged} />
      {template && <Notices template={template} />}
      {template && !template.isEditable && (
        <div className="note-box warn" role="status">
          {template.editableAt
            ? text('editableAt', { time: formatMoment(new Date(template.editableAt)) })
            : text('notEditable')}
        </div>
      )}
      <div className="columns">
        <div className="column loose">
          <IdentityCard
            identity={identity}
            onChange={draft.setIdentity}
            isNew={template === undefined}
            mayChangeCategory={template?.status !== 'approved'}
          />
          <FormContext value={draft}>
            <Content draft={draft} isNew={template === undefined} />
          </FormContext>
        </div>
        <div className="column loose editor-side">
          <PhonePreview
            parts={draftParts(components ?? [])}
            from={account.name}
            note={text('businessAccount')}
            at={new Date().toISOString()}
          />
          {draft.mode === 'form' && <RulesCard problems={problems} />}
          <p className="small note">
            {text(template?.status === 'approved' ? 'oldTextStays' : 'reviewTakes')}
          </p>
        </div>
      </div>
    </Page>
  );
}

/** The parts of the message, as a form or as JSON. */
function Content({ draft, isNew }: { draft: EditedDraft; isNew: boolean }) {
  const text = textsOf('editor');
  const { mode, setMode, form, setForm, problems } = draft;
  return (
    <>
      <div className="row wrap">
        <Segments
          label={text('mode')}
          values={['form', 'json'] as const}
          chosen={mode}
          wordOf={(one) => text(`mode_${one}`)}
          onChoose={(next) => setMode?.(next)}
        />
        {setMode === undefined && <span className="note small">{text('jsonOnly')}</span>}
      </div>
      {mode === 'json' ? (
        <JsonCard
          value={draft.json}
          isValid={draft.components !== undefined}
          onChange={draft.setJson}
          onStart={isNew ? draft.start : undefined}
        />
      ) : (
        <>
          <HeaderCard
            header={form.header}
            problems={problems}
            onChange={(header) => setForm({ ...form, header })}
          />
          <BodyCard body={form.body} problems={problems} onChange={(body) => setForm({ ...form, body })} />
          <Card title={text('footer')}>
            <Field
              id="footer-text"
              label={text('footer')}
              value={form.footer}
              most={limits.footer}
              note={text('footerNote')}
              problems={problems.filter(({ field }) => field === 'footer')}
              onChange={(footer) => setForm({ ...form, footer })}
            />
          </Card>
          <ButtonsCard
            buttons={form.buttons}
            problems={problems}
            onChange={(buttons) => setForm({ ...form, buttons })}
          />
        </>
      )}
    </>
  );
}
