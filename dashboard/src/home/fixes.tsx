// What fixes a problem, in its place where the session may do it.
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { CopyButton } from '../design/copy-button.tsx';
import { Form } from '../design/form.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { useMay } from '../session/session.tsx';
import { formatDuration } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import type { HomeProblem } from './problems.ts';

interface Props {
  problem: HomeProblem;
}

/** Reads the problems again. */
function useChanged(): () => void {
  const queries = useQueryClient();
  return () => {
    for (const key of ['overview', 'senders', 'endpoints'])
      void queries.invalidateQueries({ queryKey: [key] });
  };
}

const Failed = ({ of: { error } }: { of: Pick<UseMutationResult, 'error'> }) =>
  error && <ErrorNote error={error} />;

/** A new token, which the platform is asked about before it is stored. */
export function SenderFix({ problem: { id, name } }: Props) {
  const text = textsOf('home');
  const changed = useChanged();
  const [isOpen, setOpen] = useState(false);
  const [accessToken, setToken] = useState('');
  const verify = useMutation({
    mutationFn: () => api.updateSender({ id, body: { accessToken } }),
    onSuccess: changed,
  });
  if (!useMay('manage')) return null;
  if (!isOpen) return <Button onClick={() => setOpen(true)}>{text('senderFix')}</Button>;
  return (
    <Form className="problem-form" onSubmit={() => verify.mutate()}>
      <input
        className="input"
        type="password"
        autoComplete="off"
        // biome-ignore lint/a11y/noAutofocus: the button that was pressed opened this field
        autoFocus
        aria-label={text('newTokenOf', { name })}
        placeholder={text('newToken')}
        value={accessToken}
        onChange={({ target }) => setToken(target.value.trim())}
      />
      <Button type="submit" kind="primary" isBusy={verify.isPending} isDisabled={accessToken === ''}>
        {text('verify')}
      </Button>
      <Link to="/senders" search={{ sender: id }}>
        {text('openNumber')}
      </Link>
      <Failed of={verify} />
    </Form>
  );
}

export function CheckFix({ problem: { id } }: Props) {
  const text = textsOf('home');
  const changed = useChanged();
  const run = useMutation({ mutationFn: () => api.runSenderChecks({ id }), onSuccess: changed });
  if (!useMay('manage')) return null;
  return (
    <>
      <Link to="/senders" search={{ sender: id }}>
        {text('openNumber')}
      </Link>
      <Button isBusy={run.isPending} onClick={() => run.mutate()}>
        {text('checkFix')}
      </Button>
      <Failed of={run} />
    </>
  );
}

/** A test event, which also ends a rest; a disabled endpoint is activated. */
export function EndpointFix({ problem: { id, state } }: Props) {
  const text = textsOf('home');
  const changed = useChanged();
  const mayManage = useMay('manage');
  const mayTest = useMay('webhooks:manage');
  const test = useMutation({ mutationFn: () => api.testEndpoint({ id }), onSuccess: changed });
  const activate = useMutation({
    mutationFn: () => api.updateEndpoint({ id, body: { status: 'active' } }),
    onSuccess: changed,
  });
  if (!mayTest) return null;
  return (
    <>
      {test.data && (
        <span className="small number nowrap" role="status">
          <StateBadge state={test.data.delivered ? 'delivered' : 'failed'} quiet />{' '}
          {test.data.statusCode ?? test.data.failure} {formatDuration(test.data.durationMs)}
        </span>
      )}
      <Link to="/webhooks/deliveries" search={{ endpointId: id }}>
        {text('endpointFix')}
      </Link>
      <Button isBusy={test.isPending} onClick={() => test.mutate()}>
        {text('sendTest')}
      </Button>
      {state === 'disabled' && mayManage && (
        <Button isBusy={activate.isPending} onClick={() => activate.mutate()}>
          {text('activate')}
        </Button>
      )}
      <Failed of={test} />
      <Failed of={activate} />
    </>
  );
}

/** A link for the owner of the calendar, who connects it in their own browser. */
export function CalendarFix({ problem: { id } }: Props) {
  const text = textsOf('home');
  const mayManage = useMay('manage');
  const link = useMutation({ mutationFn: () => api.getCalendarAuthUrl({ appointmentUserId: id }) });
  return (
    <>
      <Link to="/users/$id/$tab" params={{ id, tab: 'calendar' }}>
        {text('openCalendar')}
      </Link>
      {mayManage &&
        (link.data ? (
          <>
            <CopyButton value={link.data.authUrl} label={text('copyLink')} />
            <span className="note small">
              {text('linkUntil')} <Timestamp at={link.data.expiresAt} form="clock" />
            </span>
          </>
        ) : (
          <Button isBusy={link.isPending} onClick={() => link.mutate()}>
            {text('calendarFix')}
          </Button>
        ))}
      <Failed of={link} />
    </>
  );
}

export function TemplateFix({ problem: { id, state } }: Props) {
  const text = textsOf('home');
  const mayEdit = useMay('manage') && state !== 'disabled';
  return mayEdit ? (
    <Link to="/templates/$id/edit" params={{ id }} className="button default">
      {text('templateFix')}
    </Link>
  ) : (
    <Link to="/templates/$id" params={{ id }} className="button default">
      {text('openTemplate')}
    </Link>
  );
}

export const TemplatesFix = () => (
  <Link to="/templates" className="button default">
    {textsOf('home')('openTemplates')}
  </Link>
);

export const HealthFix = () => (
  <Link to="/health" className="button default">
    {textsOf('home')('healthFix')}
  </Link>
);
