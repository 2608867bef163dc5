// A send to the phone, and the same as a request that a program would make.
import IconPlayerPlay from '@tabler/icons-react/dist/esm/icons/IconPlayerPlay.mjs';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Template, TemplateDetail } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { sendableQuery, templateQuery } from '../api/templates.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { CopyButton } from '../design/copy-button.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { SelectField } from '../design/select-field.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { TextField } from '../design/text-field.tsx';
import { contentOf, isTyped, type Typed } from '../templates/values.ts';
import { textsOf } from '../text/texts.ts';

interface Props {
  phone: string;
  onPhone: (phone: string) => void;
}

/** True for a template with a button that answers. */
const hasReplies = ({ components }: Template): boolean =>
  JSON.stringify(components).includes('"QUICK_REPLY"');

export function SendForm({ phone, onPhone }: Props) {
  const text = textsOf('sandbox');
  const [chosen, choose] = useState('');
  const { data: list } = useQuery(sendableQuery);
  const items = list?.items ?? [];
  // buttons to press show the most
  const templateId = chosen || (items.find(hasReplies) ?? items[0])?._id;
  const { data: template } = useQuery({
    ...templateQuery(templateId ?? ''),
    enabled: templateId !== undefined,
  });
  return (
    <Card title={text('send')} note={text('sendNote')}>
      <div className="column loose">
        <div className="fields">
          <SelectField label={text('template')} value={templateId ?? ''} onChange={choose}>
            {items.map(({ _id, providerTemplateName, language }) => (
              <option key={_id} value={_id}>
                {providerTemplateName} {language}
              </option>
            ))}
          </SelectField>
          <TextField
            label={text('to')}
            type="tel"
            dir="ltr"
            value={phone}
            onChange={(typed) => onPhone(typed.replace(/\D/g, ''))}
          />
        </div>
        {template && <Filled key={template._id} template={template} phone={phone} />}
      </div>
    </Card>
  );
}

function Filled({ template, phone }: { template: TemplateDetail; phone: string }) {
  const text = textsOf('sandbox');
  const [typed, setTyped] = useState<Typed>({});
  const inputs = template.inputs.filter((input) => isTyped(input) && input.required);
  const values = Object.fromEntries(inputs.map(({ key, example }) => [key, typed[key] ?? example ?? 'Ada']));
  const body = {
    templateId: template._id,
    recipients: [{ phone, ...contentOf(template.inputs, values) }],
  };
  const { mutate, data, error, isPending } = useMutation({ mutationFn: () => api.sendTemplate({ body }) });
  const message = data?.messages[0];
  const curl = `curl -s ${location.origin}/v1/templates/send -H "X-API-Key: $KEY" \\\n  -H 'Content-Type: application/json' -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`;
  return (
    <>
      {inputs.length > 0 && (
        <div className="sandbox-values">
          {inputs.map(({ key }) => (
            <label key={key} className="field">
              <span className="mono note" dir="ltr">
                {key}
              </span>
              <input
                className="input"
                dir="auto"
                value={values[key]}
                onChange={({ target }) => setTyped({ ...typed, [key]: target.value })}
              />
            </label>
          ))}
        </div>
      )}
      <div className="row wrap">
        <Button
          kind="primary"
          icon={<IconPlayerPlay size={15} aria-hidden />}
          isBusy={isPending}
          isDisabled={phone.length < 7}
          onClick={() => mutate()}
        >
          {text('sendNow')}
        </Button>
        <CopyButton value={curl} label={text('copyCurl')} />
        <span role="status">
          {message && (
            <Link to="/messages/$id" params={{ id: message.id }} className="row">
              <StateBadge state={message.status} /> {text('whatHappened')}
            </Link>
          )}
        </span>
      </div>
      {error && <ErrorNote error={error} />}
      <pre className="sandbox-curl mono" dir="ltr">
        {curl}
      </pre>
    </>
  );
}
