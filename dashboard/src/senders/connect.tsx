// Connecting a number: the values from the platform, then its checks one by one.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { isGatewayError } from '../../../client/src/errors.ts';
import type { CreateSender } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Form } from '../design/form.tsx';
import { shapes } from '../design/icons.tsx';
import { IdChip } from '../design/id-chip.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { Page } from '../design/page.tsx';
import { TextField } from '../design/text-field.tsx';
import { textsOf } from '../text/texts.ts';
import { Checks, newChecksKey } from './checks.tsx';
import './senders.css';

type Field = 'name' | 'phoneNumberId' | 'businessAccountId' | 'accessToken' | 'appSecret' | 'pin';

const fields: { name: Field; isSecret: boolean; isRequired: boolean }[] = [
  { name: 'name', isSecret: false, isRequired: true },
  { name: 'phoneNumberId', isSecret: false, isRequired: true },
  { name: 'businessAccountId', isSecret: false, isRequired: true },
  { name: 'accessToken', isSecret: true, isRequired: true },
  { name: 'appSecret', isSecret: true, isRequired: true },
  { name: 'pin', isSecret: true, isRequired: false },
];

type Typed = Partial<Record<Field, string>>;

/** What was typed, without the spaces that come with copying. */
function senderOf(typed: Typed): CreateSender {
  const value = (name: Field) => (typed[name] ?? '').trim();
  return {
    name: value('name'),
    phoneNumberId: value('phoneNumberId'),
    businessAccountId: value('businessAccountId'),
    accessToken: value('accessToken'),
    appSecret: value('appSecret'),
    ...(value('pin') ? { pin: value('pin') } : {}),
  };
}

export function Connect() {
  const text = textsOf('senders');
  const queries = useQueryClient();
  const [typed, setTyped] = useState<Typed>({});
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => api.createSender({ body: senderOf(typed) }),
    onSuccess: async ({ _id, checks }) => {
      await queries.invalidateQueries({ queryKey: ['senders'] });
      queries.setQueryData(newChecksKey(_id), { checks });
    },
  });
  if (data) {
    return (
      <Page
        title={text('connected', { name: data.name })}
        crumbs={[{ name: text('connect') }]}
        text={text('connectedText')}
      >
        <Checks sender={data} isNew />
        <Card title={text('byHand')}>
          <p className="muted">{text('byHandText')}</p>
          <IdChip value={data.callbackUrl} label={text('callback')} keep={80} />
        </Card>
        <Card title={text('firstMessage')}>
          <p className="muted">{text('firstMessageText')}</p>
          <div className="row wrap loose">
            <Link to="/templates">{text('toTemplates')}</Link>
            <Link to="/senders" search={{ sender: data._id }}>
              {text('toNumber')}
            </Link>
          </div>
        </Card>
      </Page>
    );
  }
  const problemOf = (name: Field) =>
    isGatewayError(error) ? error.errors.find(({ path }) => path === name)?.message : undefined;
  return (
    <Page title={text('connect')} crumbs={[{ name: text('connect') }]} text={text('connectText')}>
      <div className="columns">
        <Card title={text('fromPlatform')}>
          <Form className="column loose connect-form" onSubmit={mutate}>
            {fields.map(({ name, isSecret, isRequired }) => (
              <TextField
                key={name}
                label={text(`field_${name}`)}
                type={isSecret ? 'password' : 'text'}
                autoComplete="off"
                dir={name === 'name' ? 'auto' : 'ltr'}
                required={isRequired}
                note={problemOf(name) ?? text(`note_${name}`)}
                isWrong={problemOf(name) !== undefined}
                value={typed[name] ?? ''}
                onChange={(value) => setTyped({ ...typed, [name]: value })}
              />
            ))}
            {error && <ErrorNote error={error} />}
            <div>
              <Button type="submit" kind="primary" isBusy={isPending}>
                {text('verify')}
              </Button>
            </div>
            {isPending && (
              <p role="status" className="muted">
                {text('connecting')}
              </p>
            )}
          </Form>
        </Card>
        <WhereToFind />
      </div>
    </Page>
  );
}

const places = ['ids', 'token', 'secret', 'pin'] as const;

/** Where each value is at the platform, and what the gateway does with them. */
function WhereToFind() {
  const text = textsOf('senders');
  return (
    <div className="column loose">
      <Card title={text('where')}>
        <dl className="column loose">
          {places.map((place) => (
            <div key={place}>
              <dt className="strong">{text(`where_${place}`)}</dt>
              <dd className="muted">{text(`where_${place}Text`)}</dd>
            </div>
          ))}
        </dl>
      </Card>
      <div className="note-box">
        {shapes.tickDisc}
        <span className="muted">{text('nothingStored')}</span>
      </div>
    </div>
  );
}
