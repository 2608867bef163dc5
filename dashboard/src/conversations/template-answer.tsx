// A template to one person, with its values: the only way to write first.
import { useMutation, useMutationState, useQuery, useQueryClient } from '@tanstack/react-query';
import type { TemplateDetail } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { keptKeyOf } from '../api/key-of.ts';
import { previewQuery, sendableQuery, templateQuery } from '../api/templates.ts';
import { Button } from '../design/button.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { useSettled } from '../design/use-settled.ts';
import { ValueForm } from '../templates/value-form.tsx';
import { contentOf, type Typed } from '../templates/values.ts';
import { textsOf } from '../text/texts.ts';
import { changeUnsent, useUnsent } from './unsent.ts';

const previewAfterMs = 150;

interface Props {
  contactId: string;
  phone: string;
  name: string | null;
  /** Back to a free answer. */
  onBack?: () => void;
}

export function TemplateAnswer({ contactId, phone, name, onBack }: Props) {
  const text = textsOf('conversations');
  const { templateId } = useUnsent(contactId);
  const choose = (chosen: string) => changeUnsent(contactId, () => ({ templateId: chosen }));
  const all = useQuery(sendableQuery);
  const one = useQuery({ ...templateQuery(templateId), enabled: templateId !== '' });
  const template = one.data;
  return (
    <>
      <div className="row wrap">
        <select
          className="input grow"
          aria-label={text('template')}
          value={templateId}
          onChange={({ target }) => choose(target.value)}
        >
          <option value="">{text('chooseTemplate')}</option>
          {all.data?.items.map(({ _id, providerTemplateName, language }) => (
            <option key={_id} value={_id}>
              {providerTemplateName} {language}
            </option>
          ))}
        </select>
        {onBack && (
          <Button kind="quiet" onClick={onBack}>
            {text('freeReply')}
          </Button>
        )}
      </div>
      {all.error && <ErrorNote error={all.error} onRetry={() => void all.refetch()} />}
      {one.error && <ErrorNote error={one.error} onRetry={() => void one.refetch()} />}
      {template && template._id === templateId && (
        <Filled key={templateId} template={template} contactId={contactId} phone={phone} name={name} />
      )}
    </>
  );
}

interface FilledProps extends Omit<Props, 'onBack'> {
  template: TemplateDetail;
}

const nothing: Typed = {};

function Filled({ template, contactId, phone, name }: FilledProps) {
  const text = textsOf('conversations');
  const queries = useQueryClient();
  const typed = useUnsent(contactId).values[template._id] ?? nothing;
  const setTyped = (values: Typed) =>
    changeUnsent(contactId, (now) => ({ values: { ...now.values, [template._id]: values } }));
  const settled = useSettled(typed, previewAfterMs);
  const content = contentOf(template.inputs, settled);
  const { data: preview, error, refetch } = useQuery(previewQuery(template._id, content));
  const { keyOf, renew } = keptKeyOf(`template ${contactId}`);
  const body = {
    templateId: template._id,
    recipients: [{ ...contentOf(template.inputs, typed), phone, ...(name === null ? {} : { name }) }],
  };
  const mutationKey = ['template', contactId, template._id];
  const { mutate } = useMutation({
    mutationKey,
    mutationFn: (_sent: Typed) => api.sendTemplate({ body }, { idempotencyKey: keyOf(body) }),
    onSuccess: (_, sent) => {
      renew();
      // what was changed in the meantime stays
      changeUnsent(contactId, ({ templateId, values: { [template._id]: now = nothing, ...others } }) =>
        now === sent ? { values: others, templateId: templateId === template._id ? '' : templateId } : {},
      );
      void queries.invalidateQueries({ queryKey: ['received'] });
    },
  });
  // as of a free answer: it may have been sent before another person was shown
  const last = useMutationState({ filters: { mutationKey }, select: ({ state }) => state }).at(-1);
  return (
    <>
      {preview && (
        <div className="template-words" dir="auto">
          {preview.body}
        </div>
      )}
      {template.inputs.length > 0 && (
        <ValueForm
          inputs={template.inputs}
          typed={typed}
          problems={preview?.errors ?? []}
          onChange={setTyped}
        />
      )}
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {last?.error && <ErrorNote error={last.error} />}
      <div className="row">
        <Button
          kind="primary"
          isBusy={last?.status === 'pending'}
          isDisabled={preview === undefined || preview.errors.length > 0}
          onClick={() => mutate(typed)}
        >
          {text('sendTemplate')}
        </Button>
      </div>
    </>
  );
}
