// A template to one person, with its values: the only way to write first.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { TemplateDetail } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { previewQuery, sendableQuery, templateQuery } from '../api/templates.ts';
import { useKeyOf } from '../api/use-key-of.ts';
import { Button } from '../design/button.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { useSettled } from '../design/use-settled.ts';
import { ValueForm } from '../templates/value-form.tsx';
import { contentOf, type Typed } from '../templates/values.ts';
import { textsOf } from '../text/texts.ts';

const previewAfterMs = 150;

interface Props {
  phone: string;
  name: string | null;
  /** Back to a free answer. */
  onBack?: () => void;
}

export function TemplateAnswer({ phone, name, onBack }: Props) {
  const text = textsOf('conversations');
  const [templateId, choose] = useState('');
  const { data: list, error } = useQuery(sendableQuery);
  const { data: template } = useQuery({
    ...templateQuery(templateId),
    enabled: templateId !== '',
  });
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
          {list?.items.map(({ _id, providerTemplateName, language }) => (
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
      {error && <ErrorNote error={error} />}
      {template && template._id === templateId && (
        <Filled key={templateId} template={template} phone={phone} name={name} onSent={() => choose('')} />
      )}
    </>
  );
}

interface FilledProps {
  template: TemplateDetail;
  phone: string;
  name: string | null;
  onSent: () => void;
}

function Filled({ template, phone, name, onSent }: FilledProps) {
  const text = textsOf('conversations');
  const queries = useQueryClient();
  const [typed, setTyped] = useState<Typed>({});
  const settled = useSettled(typed, previewAfterMs);
  const content = contentOf(template.inputs, settled);
  const { data: preview } = useQuery(previewQuery(template._id, content));
  const { keyOf } = useKeyOf();
  const body = {
    templateId: template._id,
    recipients: [{ ...contentOf(template.inputs, typed), phone, ...(name === null ? {} : { name }) }],
  };
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => api.sendTemplate({ body }, { idempotencyKey: keyOf(body) }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['received'] });
      onSent();
    },
  });
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
      {error && <ErrorNote error={error} />}
      <div className="row">
        <Button
          kind="primary"
          isBusy={isPending}
          isDisabled={preview === undefined || preview.errors.length > 0}
          onClick={() => mutate()}
        >
          {text('sendTemplate')}
        </Button>
      </div>
    </>
  );
}
