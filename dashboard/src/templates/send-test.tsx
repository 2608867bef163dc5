// A test of the template to one phone, marked as a test in its metadata.

import IconSend from '@tabler/icons-react/dist/esm/icons/IconSend.mjs';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { PreviewTemplate, TemplateDetail } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { useKeyOf } from '../api/use-key-of.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Form } from '../design/form.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { TextField } from '../design/text-field.tsx';
import { textsOf } from '../text/texts.ts';

/** The shortest phone number with its country code. */
const digitsMin = 7;

interface Props {
  template: TemplateDetail;
  content: PreviewTemplate;
  /** Problems of the values; with any, nothing can be sent. */
  missing: number;
}

export function SendTest({ template, content, missing }: Props) {
  const text = textsOf('templates');
  const [phone, setPhone] = useState('');
  const digits = phone.replace(/\D/g, '');
  const { keyOf, renew } = useKeyOf();
  const body = {
    templateId: template._id,
    recipients: [{ ...content, phone: digits, metadata: { test: 'true' } }],
  };
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => api.sendTemplate({ body }, { idempotencyKey: keyOf(body) }),
    onSuccess: renew,
  });
  const message = data?.messages[0];
  const canSend = missing === 0 && digits.length >= digitsMin;
  return (
    <Card title={text('sendTest')} note={text('sendTestNote')}>
      <Form
        className="test-form"
        onSubmit={() => {
          if (canSend) mutate();
        }}
      >
        <TextField label={text('phone')} type="tel" dir="ltr" value={phone} onChange={setPhone} />
        <Button
          type="submit"
          kind="primary"
          icon={<IconSend size={15} aria-hidden />}
          isDisabled={!canSend}
          isBusy={isPending}
        >
          {text('send')}
        </Button>
        <span role="status">
          {missing > 0 && text('missing', { count: missing })}
          {message && (
            <Link to="/messages/$id" params={{ id: message.id }} className="row">
              <StateBadge state={message.status} /> {text('openMessage')}
            </Link>
          )}
        </span>
      </Form>
      {error && <ErrorNote error={error} />}
    </Card>
  );
}
